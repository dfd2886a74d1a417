"""The stages of a build: functions over records, which know no path and no other stage."""
