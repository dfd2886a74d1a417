"""How systems say that they cannot answer, by language.

Each pattern names who does not know: the speaker, or the text that was searched. "You cannot change
it" or "no data is kept" is an answer, and must match nothing here.
"""

from __future__ import annotations

import re

_EN_SOURCE = (
    r"(?:(?:the|this|these|those|any of the|my|our|your)\s+)?"
    r"(?:\w+\s+){0,2}?"
    r"(?:context|passages?|texts?|documents?|documentation|docs|sources?|excerpts?|materials?"
    r"|information|handbook|manual|knowledge base|search results|articles?|pages?|sections?)"
)
_EN = (
    (
        r"\b(?:I|we)(?:'m| am| are)? (?:do not|don't|cannot|can't|could not|couldn't"
        r"|was not able to"
        r"|were not able to|unable to|not able to|did not|didn't)(?: \w+)? "
        r"(?:know|answer|find|see|say|determine|tell|locate|have|provide|verify|confirm)\b"
    ),
    r"\b(?:I|we)(?:'m| am| are) (?:not sure|unsure|sorry,? but)\b",
    r"\bunable to (?:answer|find|locate|determine|provide an answer)\b",
    (
        rf"\b{_EN_SOURCE}(?: provided| given| retrieved| available| above| supplied)? "
        r"(?:do|does|did)(?: not|n't)(?: \w+)? "
        r"(?:contain|mention|specify|say|state|provide|include|cover|describe|address|give|discuss"
        r"|answer|indicate|explain|list|document|hold|have)\b"
    ),
    (
        r"\b(?:is|are|was|were)(?: not|n't)(?: \w+)? (?:mentioned|specified|stated|provided"
        r"|documented"
        rf"|covered|described|available|given|included|addressed|found|listed) (?:in"
        rf"|by) {_EN_SOURCE}"
    ),
    (
        r"\bthere (?:is|was|are) (?:no|not enough|insufficient) (?:\w+ )?(?:information"
        r"|mention|answer"
        r"|evidence|details?|data|documentation) (?:about|on|of|for|regarding|in|to|that"
        r"|available)\b"
    ),
    (
        r"\b(?:has|have|contains?|provides?|found|gives?|with) (?:no|not enough|insufficient) "
        r"(?:\w+ )?(?:information|answer|evidence|mention|details? (?:about|on|of|regarding))\b"
    ),
    (
        r"^(?:there is )?(?:no answer|not enough information|insufficient information"
        r"|no information"
        r"|unanswerable|not answerable|no relevant (?:information"
        r"|passages?))\b"
    ),
    r"\b(?:this|the|your) question (?:cannot|can't|can not|could not) be answered\b",
    r"^(?:unknown|n/a|not found|not available)\W*$",
    r"\bcannot be (?:answered|determined) (?:from|based on|with|using)\b",
)
_DE = (
    r"\b(?:ich|wir) (?:weiß|weiss|wissen) (?:es |das |dies )?(?:leider )?nicht\b",
    r"\b(?:weiß|weiss) ich (?:leider )?nicht\b",
    (
        r"\b(?:kann|können|konnte|konnten) (?:ich|wir) .{0,60}?(?:nicht|keine\w*) .{0,40}?"
        r"(?:beantworten|finden|sagen|angeben|ermitteln)\b"
    ),
    (
        r"\b(?:ich|wir) (?:kann|können|konnte|konnten|habe|haben) .{0,60}?(?:nicht|keine\w*) "
        r".{0,40}?(?:beantworten|finden|gefunden|sagen|angeben|ermitteln)\b"
    ),
    (
        r"\b(?:Kontext|Text|Texte|Dokument|Dokumente|Dokumentation|Quelle|Quellen|Abschnitt\w*"
        r"|Passagen?"
        r"|Unterlagen|Handbuch)\b.{0,40}?\b(?:enthält|enthalten|nennt|nennen|erwähnt|erwähnen|sagt"
        r"|sagen|gibt|geben|macht|machen)\b.{0,60}?\b(?:nicht|nichts|keine\w*)\b"
    ),
    (
        r"\b(?:wird|werden|ist|sind) .{0,80}?\bnicht "
        r"(?:erwähnt|angegeben|genannt|beschrieben|dokumentiert)\b"
    ),
    r"\b(?:keine|nicht genügend|nicht genug) (?:Informationen?|Angaben?)\b",
)
_FR = (
    r"\bje ne (?:sais|peux|trouve|dispose|suis|vois)\b.{0,20}?\b(?:pas|rien|aucune?)\b",
    r"\b(?:je n'ai|nous n'avons) (?:pas|trouvé aucune?|aucune?)\b",
    (
        r"\b(?:le contexte|le texte|les? documents?|la documentation|les? sources?|les? passages?"
        r"|les? extraits?)\b.{0,40}?\bn(?:e |')\w+.{0,20}?\b(?:pas|aucune?|rien)\b"
    ),
    r"\bn(?:e |')(?:est|sont) pas (?:mentionnée?s?|précisée?s?|indiquée?s?|documentée?s?)\b",
    r"\b(?:aucune|pas d'|pas assez d'|pas suffisamment d')\s?informations?\b",
    r"\bimpossible de (?:répondre|trouver|déterminer)\b",
)
_ES = (
    (
        r"\bno (?:lo )?(?:sé|sabemos|puedo|podemos|encuentro|encontré|he encontrado|dispongo"
        r"|tengo)\b"
        r".{0,40}?\b(?:responder|contestar|encontrar|información|respuesta|determinar)\b"
    ),
    r"^(?:lo siento,? )?no lo sé\b",
    (
        r"\b(?:el contexto|el texto|los? documentos?|la documentación|las? fuentes?"
        r"|los? pasajes?)\b"
        r".{0,40}?\bno (?:\w+ )?(?:contienen?|mencionan?|especifican?|indican?|dicen?|incluyen?)\b"
    ),
    r"\bno (?:se (?:menciona|especifica|indica|encuentra)|está (?:documentad|mencionad)\w*)\b",
    r"\bno hay (?:suficiente )?información\b",
)
_IT = (
    r"\bnon (?:lo so|so|posso|possiamo|riesco a|trovo|ho trovato|dispongo)\b",
    (
        r"\b(?:il contesto|il testo|i documenti|il documento|la documentazione|le fonti"
        r"|i passaggi)\b"
        r".{0,40}?\bnon (?:contien\w*|menzion\w*|specific\w*|indic\w*|dic\w*|fornisc\w*)"
    ),
    r"\bnon (?:è|sono|viene|vengono) (?:menzionat|specificat|indicat|documentat)\w*",
    r"\bnon ci sono (?:abbastanza )?informazioni\b",
)
_PT = (
    r"\bnão (?:sei|sabemos|posso|podemos|consigo|encontrei|encontro|tenho)\b",
    (
        r"\b(?:o contexto|o texto|os? documentos?|a documentação|as? fontes?"
        r"|os? trechos?)\b.{0,40}?"
        r"\bnão (?:contêm|contém|menciona\w*|especifica\w*|indica\w*|diz\w*|inclu\w*|fornece\w*)"
    ),
    r"\bnão (?:é|são|está|estão|foi|foram) (?:mencionad|especificad|indicad|documentad)\w*",
    r"\bnão há informaç(?:ão|ões)\b",
)
_NL = (
    r"\b(?:ik|we|wij) (?:weet|weten) (?:het )?(?:helaas )?niet\b",
    r"\bweet ik (?:helaas )?niet\b",
    (
        r"\b(?:ik|we|wij) (?:kan|kunnen|kon|konden|heb|hebben) .{0,60}?(?:niet|geen) .{0,40}?"
        r"(?:beantwoorden|vinden|gevonden|zeggen|bepalen)\b"
    ),
    (
        r"\b(?:context|tekst|documenten|document|documentatie|bronnen|passages?)\b.{0,30}?"
        r"\b(?:bevat|bevatten|vermeldt|vermelden|noemt|noemen|zegt)\b.{0,40}?\b(?:niet"
        r"|niets|geen)\b"
    ),
    r"\b(?:niet (?:vermeld|genoemd|beschreven)|geen informatie|onvoldoende informatie)\b",
)
_RU = (
    r"\b(?:я не (?:знаю|могу|нашёл|нашел|нашла)|мы не (?:знаем|можем|нашли))\b",
    (
        r"\b(?:контекст|текст|документ|источник|документаци|отрыв)\w*\b.{0,30}?\bне "
        r"(?:содерж|упомина|указ|сообща|говор)\w*"
    ),
    r"\bне (?:указан|упомин|упомянут|описан)\w*",
    r"\b(?:нет|недостаточно) (?:никакой )?информации\b",
)
_PL = (
    r"\bnie (?:wiem|mogę|możemy|znalazłem|znalazłam|znaleziono|udało się)\b",
    (
        r"\b(?:kontekst|tekst|dokument|źródł|dokumentacj|fragment)\w*\b.{0,30}?\bnie "
        r"(?:zawiera|wspomina|podaj|określa|mówi)\w*"
    ),
    r"\b(?:brak|nie ma) (?:wystarczających )?informacji\b",
)
_JA = (
    r"(?:わかりません|分かりません|答えられません|お答えできません|回答できません|判断できません)",
    r"(?:記載|言及|情報|説明|記述)(?:が|は|も)?(?:ありません|されていません|見つかりません|ございません|ない)",
    r"見つかりませんでした|含まれていません",
)
_ZH = (
    r"(?:我|我们|我們)?(?:不知道|无法回答|無法回答|无法确定|無法確定|不清楚|无法得知)",
    r"(?:没有|沒有|未)(?:明确|明確|直接)?(?:提到|提及|说明|說明|提供|包含|记载|記載|指出|找到)",
    r"(?:没有|沒有|缺乏|缺少)(?:足够的|足夠的|相关|相關)?(?:信息|資訊|资料|資料|内容)",
)
_KO = (
    r"(?:알 수 없습니다|모르겠습니다|답변할 수 없습니다|대답할 수 없습니다|확인할 수 없습니다)",
    r"(?:언급|정보|내용|설명)(?:이|가|은|는)? ?(?:없습니다|부족합니다)",
    r"(?:언급|설명|명시)되어 있지 않습니다|(?:언급|설명|명시)되지 않았습니다",
    r"찾을 수 없(?:습니다|었습니다)",
)
_AR = (
    r"لا (?:أعرف|أعلم|يمكنني|أستطيع|تتوفر|توجد معلومات|يوجد معلومات)",
    r"لم (?:أجد|يذكر|يُذكر|يرد)",
    r"لا (?:يذكر|تذكر|يحتوي|تحتوي)",
)

PHRASES: dict[str, re.Pattern[str]] = {
    language: re.compile("|".join(f"(?:{pattern})" for pattern in patterns), re.IGNORECASE)
    for language, patterns in {
        "en": _EN,
        "de": _DE,
        "fr": _FR,
        "es": _ES,
        "it": _IT,
        "pt": _PT,
        "nl": _NL,
        "ru": _RU,
        "pl": _PL,
        "ja": _JA,
        "zh": _ZH,
        "ko": _KO,
        "ar": _AR,
    }.items()
}
"""By ISO 639-1 code."""
