"""Words around a call, in the languages that models answer in: who announces an act, who takes it back, who explains.

Scripts without blanks between words have no word ends; there a phrase counts wherever it stands.
"""

from __future__ import annotations

import re
from typing import Final

from utp_cli.protocol.patterns import regex

_BEGINS: Final = r"(?:\b|(?<=[\u0e00-\u0e7f\u3040-\u9fff\uac00-\ud7a3]))"
_FIRST: Final = r"\A[\W_]*(?:(?:okay|ok|sure|alright|all right|right|great|good|perfect|yes|and|so)[\W_]+)?"


def _any_of(*phrases: str, first: tuple[str, ...] = ()) -> re.Pattern[str]:
    """Match any of the phrases, each a pattern that begins at a word. `first`: those that count at the beginning."""
    begun = rf"|{_FIRST}(?:{'|'.join(first)})" if first else ""
    return regex(rf"{_BEGINS}(?:{'|'.join(phrases)}){begun}", re.IGNORECASE)


ANNOUNCES: Final = _any_of(
    "i['’]ll", "i will(?! not)", "we['’]ll", r"i['’]m (?!not\b)\w+ing\b", r"i am (?!not\b)\w+ing\b",
    r"i(?: still| also| first| now| just| only| then)* (?:need|have to|run|call|read|check|look|search|list"
    r"|open|use|fetch|get|see|start|begin|try|do)\b",
    "let me", "let['’]s", "let us", "going to", "time to", "one moment", "please wait", "hold on",
    r"(?<!habe )(?<!hatte )(?<!würde )(?<!könnte )ich (?!habe?\b|hatte|würde|könnte|kann\b.{0,40}\bnicht"
    r"|war\b|weiß|darf nicht)\w+",
    "lass mich", "schauen wir", "zuerst", "jetzt", "einen moment",
    r"je (?!ne\b|n['’]|pourrais|devrais|suis\b(?! en train))\w+", "laisse[sz]?-moi", "permettez-moi", "voyons",
    "maintenant", "d['’]abord", "un instant", r"(?:voy|vamos|vou|vado|andiamo) (?:a |ad )?\w+", "d[ée]jame",
    "perm[íi]t[ea]me", "deixe-me", "deixa eu", "lascia(?:mi)?", "fammi", r"est(?:oy|ou) \w+", r"sto \w+ndo\b", "ahora",
    "agora", "ora", "adesso", "subito", "primero", "primeiro", "un momento",
    r"(?<!heb )(?<!had )(?<!zou )ik (?!heb|had|zou|kan niet|was\b)\w+", "laat me", "eens kijken",
    r"(?<!har )(?<!hade )jag (?!har|hade|skulle)\w+",
    r"(?<!har )(?<!havde )(?<!hadde )jeg (?!har|havde|hadde|ville)\w+", "låt mig", "lad mig", "la meg", r"zaraz\b",
    r"teraz\b", "sprawdz", "najpierw", "podívám", "zkontroluj", "hned", r"я (?!уже|бы\b|не\b)\w+", "сейчас", "теперь",
    "давайте", "посмотрю", "проверю", "найду", "узнаю", "зараз", "перевірю",
    r"\w{0,30}(?:ıyorum|iyorum|uyorum|üyorum|acağım|eceğim|ayım|eyim)\b", "hemen", "şimdi",
    "我(?:们)?(?!(?:已|曾|刚|不|可以|没))",
    "让我", "现在", "接下来", "首先", "正在", "马上", "好的", "稍等", "調べます", "確認します", "検索します",
    "실행하겠", r"[가-힣]{1,30}(?:겠습니다|[가-힣]게요|중입니다)",
    "잠시만", "मैं", "मुझे", "चलिए", "अभी", r"\bس(?:أ|ن)\w+", "سوف", "دعني", "دعنا", "الآن", r"دارم\b", "اجازه",
    "tôi sẽ",
    "để tôi", "saya akan", "mari kita", "biar saya", "izinkan saya",
    first=(
        r"(?:now|next|first|then|step \d)\b",
        (
            r"(?!during|according|including|regarding|following|nothing|something|anything|everything|string|thing"
            r"|king"
            r"|being|having"
            r"|meaning|missing|existing|pending)\w+ing\b"
        ),
    ),
)  # fmt: skip
"""The model says of itself what it does now."""
GRANTS: Final = regex(
    r"\A[\W_]*(?:okay|ok|sure|alright|all right|right|of course|certainly|absolutely|understood|got it|on it|yes"
    r"|no problem|will do"
    r"|great|perfect|here(?: you go| it is| goes)?\W*\Z|klar|gerne|natürlich|verstanden|bien sûr|d['’]accord|claro"
    r"|por supuesto"
    r"|entendido|certo|va bene|конечно|хорошо|понял|好|はい|承知|네|알겠|ठीक|حسن|tabii|tamam|prima|oké|jasne"
    r"|oczywiście)",
    re.IGNORECASE,
)
"""Words of somebody who is asked for something, and does it."""
POLITE: Final = regex(r"(?:ます|ましょう|ますね)[\W_]*\Z")
"""How a sentence of Japanese ends that says what somebody does: the speaker, where it names nobody else."""
OF_ONESELF: Final = regex("(?:私|では|まず|次に|今)は?")
HERE: Final = regex(
    r"\bhere(?: is|['’]s| are) (?:[\w-]+ ){0,4}(?:call|request|query|tool|function|action|command|json)s?\b",
    re.IGNORECASE,
)
PAST: Final = regex(
    r"\b(?:sent|ran|wrote|written|used|made|issued|did|got|received|emitted|produced|failed|was|were|previous\w*"
    r"|last|earlier"
    r"|usually|always|often|would|could|should)\b",
    re.IGNORECASE,
)
"""What a call that is handed over was not."""
SUPPOSES: Final = regex(
    rf"{_FIRST}(?:if|unless|suppose|imagine|assuming|whenever|wenn|falls|angenommen|si|se|als|cuando|quando|если|eğer)\b"
    rf"|{_FIRST}(?:إذا|لو|अगर|यदि|만약|もし|如果|假如|要是)"
    r"|\b(?:i|we|one|you|he|she|it|they|agent|model)(?:['’]d| would| could| might)\b|\byou (?:can|may|should|must"
    r"|have to|need to)\b"
    r"|\b(?:würden?|könnten?|hätten?)\b|\b(?:pourrai[st]|ferai[st]|enverrai[st])\b|\b(?:podría|haría|poderia|faria"
    r"|potrei|farei)\b"
    r"|\bzou(?:den)?\b|\bбы\b|\bможно\b|\bможете\b|可以这样|你可以|您可以|(?:れば|なら)、|できます|えます|수 있|सकते"
    r"|يمكن(?:ك|كم)",
    re.IGNORECASE,
)
"""A condition, or what somebody could do."""
DISPLAYS: Final = _any_of(
    "show", "expla(?:in|n)", "demonstrat", "illustrat", "describ", "quot", "sketch", "draft", "walk", "zeige",
    "erklär", "beschreib", "montre", "expliqu", "muestr", "mostr", "expli[cq]", "spieg", "покаж", "показыв", "объясн",
    "опиш", "展示", "说明", "解释", "介绍", "示し", "説明", "紹介", "보여", "설명", "दिखा", "समझा", "أوضح", "أشرح",
    "أعرض", "gösterey",
    "açıkla", "laat zien", "uitleg",
)  # fmt: skip
"""It shows something."""
_THIRD: Final = (
    r"(?:the|an?|every|each|most|some|small) (?:[\w-]+ )?(?:agent|model|assistant|bot|parser|client"
    r"|engine)s? (?:\w+ly |then |also )?"
    r"(?:answer|write|send|emit|output|print|call|return|repl|put|list|run|read|must|should|has to|ha[sd]|wrote|sent"
    r"|said|gave|did|do|make)"
)
TOPIC: Final = _any_of(
    r"(?:tool|function|api)[ -]?calls?\b",
    r"calls?\b(?= (?:is|are|goes|go|has|have|must|should|consists?|looks?|stands?|begins?|starts?|ends?)\b)",
    r"(?:each|every|one|a|an|the|same|this|these|valid|two|three) (?:[\w-]+ )?calls?\b", _THIRD,
    r"(?:between|inside|within|in) (?:two |the |these )?(?:xml )?tags\b", r"(?:special |opening |closing )markers?\b",
    r"dialects?\b", r"(?:section|special|control|stop) tokens?\b",
    "(?:qwen|kimi|llama|mistral|gpt-|gemma|deepseek|glm|hermes|mixtral)", "chat template", r"completions?\b",
    "annotat", r"transcripts?\b", "few-shot", "fine-tun",
    r"training (?:set|row|data|file|sample)s?\b",
    "golden file", r"(?:werkzeug|tool-?|funktions)?aufrufs?\b", r"marken\b", r"trainings", r"appels?\b", r"balises?\b",
    r"llamadas?\b", r"etiquetas?\b", r"chamadas?\b", r"chiamat[ae]\b", "aanroep", "wywołani",
    r"(?:das|le|el|o|il|het) (?:modell?|modèle|modelo|modello|agente?|assistente?|asistente|bot) \w+", "вызов", "тег",
    "модель", "агент", "çağrı", "etiket", "工具调用", "函数调用", "调用(?:的|写|由|是|必须)", "标签", "模型", "格式",
    "呼び出し", "出力", "タグ", "モデル",
    "形式", "호출", "태그", "모델", "형식", "कॉल", "टैग", "मॉडल", "استدعاء", "وسم", "النموذج",
)  # fmt: skip
"""A text about calls, and who makes and reads them."""
TAKES_BACK: Final = regex(
    r"[?？؟]"
    r"|\bi (?:will not|won['’]t|would not|wouldn['’]t|can['’]?t|cannot|can not|do not|don['’]t|did not|didn['’]t"
    r"|have not|haven['’]t|am not going to|refuse|would need)\b"
    r"|\bi['’](?:m not going to|ve not)\b|\binjection\b|\bignor(?:e|ed|ing)\b"
    r"|\b(?:if|once|unless|until|when|after) you (?:confirm|agree|approve|say|allow|want|tell|ok)"
    r"|\b(?:above|this|that) (?:only |just |merely )?(?:shows|demonstrates|illustrates|is how|is what)\b"
    r"|\bplease confirm\b|\bwaiting for your\b|\b(?:is|was) (?:just |only )?an example\b"
    r"|\bich (?:werde|kann|darf|führe|mache|rufe)\b.{0,60}\bnicht\b|\bwenn (?:du|sie) (?:willst|wollen|zustimm|möcht)"
    r"|\bje ne\b.{0,40}\bpas\b|\bsi (?:vous|tu) (?:le )?(?:voulez|veux|confirm|souhait|êtes)|\bsans votre accord\b"
    r"|\bno (?:lo |la )?(?:voy a|puedo|debo|he)\b|\bsi (?:lo |me )?(?:quieres|quiere|confirmas|deseas|desea)\b"
    r"|\bse (?:vuoi|vuole|confermi|volete)\b|\bnon (?:lo |la )?(?:posso|eseguo|eseguirò|ho)\b"
    r"|\bnão (?:vou|posso|devo)\b|\bse (?:você )?(?:quiser|confirmar)\b|\bniet (?:uitvoeren|doen)\b"
    r"|\bя не (?:буду|могу|стану)\b|\bесли (?:вы|хотите|хочешь)\b|不会执行|不能执行|没有执行|如果你|如果您|请确认|示例"
    r"|実行しません|実行できません|よろしければ|例です|실행하지|원하시면",
    re.IGNORECASE,
)
"""A refusal, a condition, a question, an explanation: the call before it is not made."""
NOT_RUN: Final = regex(
    r"\b(?:have|has|had|did|do|will|would|wo)(?: not|n['’]t) (?:yet )?"
    r"(?:run|ran|execut\w+|call(?:ed)?|sen[dt]|made?|invoked?|issued?)\b"
    r"|\bwithout (?:running|executing|calling|sending|invoking)\b|\bnothing (?:was|is|has been) (?:run|sent"
    r"|executed)\b"
    r"|\b(?:can['’]t|cannot|can not|not able to|unable to) (?:run|execute|call|send)\b"
    r"|\bnicht (?:ausgeführt|ausführen|gesendet|aufgerufen)\b|\bohne (?:ihn|sie|es|etwas)? ?auszuführen\b"
    r"|\bsans (?:l['’])?(?:exécuter|appeler|envoyer)\b|\bsin (?:ejecutar|llamar|enviar)|\bsenza (?:eseguir|chiamar)"
    r"|\bsem (?:executar|chamar)|不执行|没有执行|実行せず",
    re.IGNORECASE,
)
"""The model says that it runs nothing."""
