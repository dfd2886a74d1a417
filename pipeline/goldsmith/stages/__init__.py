"""The stages of a build: functions over records, which know no path, no network and no other stage."""
