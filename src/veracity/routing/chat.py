"""Greetings, small talk and questions about the assistant: closed phrases that together are the whole request.

No word in them can mean data, because no phrase leaves room for one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from veracity.routing.words import RuleMatch

_TWO_LETTERS = {ord("ä"): "ae", ord("ö"): "oe", ord("ü"): "ue", ord("ß"): "ss"}
_LETTER = r"[^\W_]"
_LONGEST_OPENING = 80
"""Longer than the first two words of any phrase, and the spaces between them."""
_PAUSE = r"[\s,.!?;:…~，。！？；：、～)\U0001f300-\U0001faff\u2600-\u27bf\ufe0f\u200d^]"

_GREETING = """
hi|hii|hiii|hello|helo|hallo|halo|hey|heya|hiya|yo|howdy|greetings|good morning|morning|good afternoon|good evening|good day|hi there|hello there
hey there|hi all|hi everyone|hello everyone|hello all|hey everyone|hi team|hello team|hello veracity|hi veracity|hey veracity|hello again|hi again
good morning everyone|good morning all|good morning team|good evening everyone|good evening all|good afternoon everyone|welcome
hi guys|hey guys|hello world|hello my friend|hi friend|hey buddy|what is up|gm
guten morgen|guten tag|guten abend|gute nacht|schönen guten tag|schönen guten morgen|schönen guten abend|einen schönen guten morgen|einen schönen guten tag
guten morgen zusammen|guten tag zusammen|guten abend zusammen|hallo zusammen|hallo alle|hallo miteinander|hallo an alle|hallo leute|hallo team|hi zusammen
hey zusammen|hallo veracity|hallöchen|hallo du|hallo nochmal|hallo wieder|moin|moin moin|servus|grüezi|grüezi mitenand|grüezi miteinander|grüß gott|grüss gott
grüss dich|grüß dich|grüße|grüsse|salü|sali|hoi|hoi zäme|tag|tach|n abend|mahlzeit|na|morgen zusammen|sehr geehrte damen und herren|liebes team|willkommen
""".strip()
_GREETING_ZH = (
    "你好|您好|你好呀|你好啊|您好呀|您好啊|大家好|嗨|嘿|哈喽|哈啰|哈罗|早|早安|早上好|大家早上好|上午好|中午好|下午好|晚上好|大家晚上好|晚安|喂|"
    "在吗|在不在|在么|你在吗|有人吗|hello|hi|各位好|老师好|你们好|很高兴认识你|好久不见|新年好|新年快乐|节日快乐"
)
_SMALL_TALK = """
how are you|how are you today|how are you doing|how are you doing today|how r u|how do you do|how's it going|hows it going|how is it going|how are things
how have you been|how's your day|how is your day|how is your day going|how was your day|what's up|whats up|sup|what's new with you|you okay|are you ok|are you okay
thanks|thank you|thx|ty|tysm|many thanks|thanks a lot|thanks a million|thank you very much|thank you so much|thanks so much|much appreciated|cheers|thanks again
thank you again|thanks for your help|thank you for your help|thanks for the help|that was helpful|that was really helpful|that was very helpful|that helped
that helps|very helpful|great job|good job|well done|nice work|good work|awesome|great|excellent|perfect|cool|nice|wonderful|amazing|you're great|you are great
you rock|you're awesome|i love you|good bot|bye|goodbye|good bye|bye bye|see you|see ya|see you later|see you soon|see you tomorrow|good night|take care|later
have a nice day|have a great day|have a good day|have a good one|have a nice weekend|have a great weekend|have a good weekend|have a good evening
have a nice evening|you too|same to you|no problem|no worries|you're welcome|never mind|nevermind|sorry|my bad|i'm bored|i am bored|i'm tired|i am tired|lol|haha|hahaha
tell me a joke|tell me another joke|tell a joke|say something funny|make me laugh|tell me something funny|do you know a joke|happy birthday|merry christmas|happy new year
i'm fine|i'm good|i am fine|i'm fine thanks|fine thanks|all good|got it thanks|ok thanks|okay thanks|ok thank you|okay thank you|ok bye|pleased to meet you|nice to meet you|good to meet you|nice meeting you|great to meet you
thank you so much for your help|thanks so much for your help|thanks a lot for your help|thank you very much for your help|that was great|that's great|that is great|that's nice|that's awesome|have a lovely day|have a wonderful day|have a lovely weekend|have a lovely evening|thanks for everything|thank you for everything|you've been very helpful
wie geht's|wie gehts|wie geht es|wie geht es dir|wie geht es ihnen|wie geht's dir|wie gehts dir|wie geht es dir heute|wie geht's dir heute|wie geht es ihnen heute
wie gehts dir heute|wie geht's ihnen|wie gehts ihnen|wie geht's denn so|alles gut|alles klar|alles klar bei dir|alles gut bei dir|wie läuft's|wie läufts|was geht|was geht ab
wie war dein tag|wie ist dein tag|danke|dankeschön|danke schön|danke sehr|danke dir|danke ihnen|danke euch|vielen dank|vielen lieben dank|lieben dank|besten dank|herzlichen dank
tausend dank|merci|merci vielmal|ich danke dir|ich danke ihnen|danke vielmals|danke für die hilfe|danke für deine hilfe|danke für ihre hilfe|vielen dank für die hilfe
vielen dank für ihre hilfe|vielen dank für deine hilfe|das war hilfreich|das war sehr hilfreich|das hat geholfen|das hilft mir|sehr hilfreich|gut gemacht|super gemacht|toll gemacht
gute arbeit|super|toll|klasse|prima|perfekt|großartig|grossartig|spitze|wunderbar|sehr gut|cool danke|ok danke|okay danke|gut danke|super danke|alles klar danke|du bist toll|du bist super
du bist nett|ich liebe dich|tschüss|tschüs|tschau|ciao|adieu|ade|bis bald|bis später|bis dann|bis morgen|auf wiedersehen|auf wiederhören|servus und danke|tschüss und danke
danke und tschüss|schönes wochenende|schönen tag|schönen tag noch|einen schönen tag|einen schönen tag noch|schönen abend|schönen abend noch|schönen feierabend|einen schönen abend
ein schönes wochenende|gleichfalls|ebenso|ebenfalls|kein problem|keine ursache|gern geschehen|macht nichts|schon gut|entschuldigung|tut mir leid|sorry|mir ist langweilig
erzähl mir einen witz|erzähle mir einen witz|erzähl einen witz|erzähl mir was lustiges|erzähl mal einen witz|erzählen sie mir einen witz|kennst du einen witz|bring mich zum lachen
freut mich|freut mich dich kennenzulernen|freut mich sie kennenzulernen|schön dich kennenzulernen|schön sie kennenzulernen|das war super|das ist super|das war toll|das ist toll|das ist nett|das ist lieb|danke für alles|vielen dank für alles|frohe weihnachten|frohe ostern|gutes neues jahr|viele grüße|viele grüsse|liebe grüße|liebe grüsse|freundliche grüsse|mit freundlichen grüssen|mit freundlichen grüßen
beste grüsse|beste grüße|lg|mfg|vg|alles gute|alles gute zum geburtstag|mir geht es gut|mir geht's gut|freut mich sehr|und dir|und ihnen|and you
""".strip()
_SMALL_TALK_ZH = (
    "谢谢|谢谢你|谢谢您|谢谢啦|谢谢了|谢了|多谢|多谢了|感谢|非常感谢|感谢你|感谢您|太感谢了|谢谢你的帮助|谢谢您的帮助|感谢你的帮助|感谢您的帮助|非常感谢你的帮助|非常感谢您的帮助|非常感谢你|非常感谢您|多谢你的帮助|很高兴见到你|十分感谢|辛苦了|辛苦啦|你辛苦了|您辛苦了|"
    "你好吗|您好吗|你还好吗|最近好吗|你最近怎么样|最近怎么样|你今天怎么样|今天过得怎么样|你今天过得怎么样|你过得怎么样|过得好吗|你今天好吗|吃了吗|吃饭了吗|你吃饭了吗|"
    "再见|拜拜|拜|回头见|明天见|下次见|下次再聊|回见|一会儿见|先这样|没事了|没事|没关系|不客气|不用谢|对不起|不好意思|抱歉|哈哈|哈哈哈|呵呵|嘿嘿|太好了|太棒了|真棒|很棒|棒|厉害|真厉害|你真厉害|"
    "你真棒|你真聪明|你好厉害|做得好|干得好|干得漂亮|不错|很不错|很好|非常好|完美|有帮助|很有帮助|我爱你|我喜欢你|我好无聊|我很无聊|好无聊|无聊|我累了|好累|讲个笑话|给我讲个笑话|说个笑话|讲一个笑话|"
    "给我讲一个笑话|来个笑话|再讲一个笑话|给我说个笑话|讲个笑话听听|陪我聊聊天|陪我聊聊|聊聊天|聊天吧|我们聊聊天吧|祝你好运|祝你愉快|周末愉快|祝你有愉快的一天|祝你今天愉快|祝你有美好的一天|祝你周末愉快|生日快乐|圣诞快乐|好的谢谢|好的谢谢你|ok谢谢|明白了谢谢|知道了谢谢"
)
_IDENTITY = """
who are you|what are you|who are you exactly|what exactly are you|what's your name|what is your name|whats your name|do you have a name|your name|your name please|how should i call you
what can you do|what can you do for me|what are you able to do|what do you do|how can you help me|how can you help|what can you help me with|what can you help with|can you help me
who made you|who created you|who built you|who developed you|who programmed you|who trained you|who wrote you|are you a bot|are you a robot|are you human|are you a human
are you a person|are you real|are you a real person|are you an ai|are you ai|are you a machine|are you chatgpt|are you gpt|are you claude|are you gemini|are you an assistant|are you sentient
are you a human or a bot|are you a human or a machine|are you human or a machine|what model are you|which model are you|what llm are you|which llm are you|what kind of ai are you|what ai are you
introduce yourself|tell me about yourself|please introduce yourself|tell me something about yourself|how old are you|where are you from|where do you come from|do you have feelings
what is your purpose|what's your purpose|what languages do you speak|which languages do you speak|do you speak german|do you speak english|do you speak chinese|what is veracity|what's veracity
wer bist du|wer sind sie|wer bist du eigentlich|wer bist du denn|was bist du|was sind sie|was bist du eigentlich|wie heißt du|wie heisst du|wie heißen sie|wie heissen sie|wie ist dein name
wie ist ihr name|wie lautet dein name|dein name|hast du einen namen|was kannst du|was kannst du alles|was kannst du tun|was kannst du für mich tun|was können sie|was können sie tun
was können sie für mich tun|was machst du|was machst du so|was kannst du alles machen|was kannst du machen|was können sie alles|wobei kannst du mir helfen|wobei können sie mir helfen
wie kannst du mir helfen|wie können sie mir helfen|kannst du mir helfen|können sie mir helfen|womit kannst du mir helfen|wer hat dich gemacht|wer hat dich erschaffen|wer hat dich entwickelt
wer hat dich gebaut|wer hat dich programmiert|wer hat dich trainiert|bist du ein mensch|bist du ein bot|bist du ein roboter|bist du eine maschine|bist du eine ki|bist du eine künstliche intelligenz
bist du echt|bist du chatgpt|bist du gpt|bist du claude|bist du ein mensch oder eine maschine|bist du mensch oder maschine|bist du ein mensch oder ein bot|bist du ein echter mensch|sind sie ein mensch
sind sie ein roboter|sind sie eine ki|sind sie ein bot|welches modell bist du|was für ein modell bist du|welches sprachmodell bist du|stell dich vor|stell dich bitte vor|stell dich mal vor|stellen sie sich vor
stellen sie sich bitte vor|erzähl mir etwas über dich|erzähl etwas über dich|erzähl was über dich|erzähl mir was über dich|wie alt bist du|woher kommst du|hast du gefühle|sprichst du deutsch
sprichst du englisch|sprichst du chinesisch|sprechen sie deutsch|welche sprachen sprichst du|was ist deine aufgabe|was ist veracity
""".strip()
_IDENTITY_ZH = (
    "你是谁|您是谁|你是谁呀|你是谁啊|你到底是谁|你是什么|你是什么东西|你叫什么|你叫什么名字|您叫什么名字|你的名字是什么|你的名字叫什么|你叫啥|你叫啥名字|怎么称呼你|怎么称呼您|怎么称呼|请问怎么称呼|"
    "你能做什么|你能干什么|你会什么|你会做什么|你会干什么|你可以做什么|你能帮我做什么|你可以帮我做什么|你都会什么|你都能做什么|你能干嘛|你会干嘛|你有什么功能|你有哪些功能|你能帮我吗|你有什么用|你的用途是什么|你的作用是什么|你的功能是什么|你的任务是什么|"
    "你是机器人吗|你是人吗|你是真人吗|你是人类吗|你是人工智能吗|你是ai吗|你是人还是机器|你是人还是机器人|你是真人还是机器人|你是机器人还是真人|你是chatgpt吗|你是gpt吗|你是claude吗|你是什么模型|你是哪个模型|你用的什么模型|"
    "你用的是什么模型|你是什么大模型|你基于什么模型|谁开发了你|谁创造了你|谁制造了你|谁训练了你|你是谁开发的|你是谁创造的|你是谁做的|你是谁训练的|你是哪家公司的|你是哪个公司开发的|介绍一下你自己|介绍一下自己|介绍你自己|自我介绍|"
    "自我介绍一下|做个自我介绍|做一下自我介绍|说说你自己|你多大了|你几岁|你几岁了|你来自哪里|你从哪里来|你会说中文吗|你会说英语吗|你会说德语吗|你有感情吗"
)
_COURTESY = """
please|pls|plz|kindly|ok|okay|well|so|oh|ah|hm|hmm|excuse me|quick question|one question|i have a question|just a quick question|a question|just wondering|by the way|btw|and
bitte|bitte schön|also|so|ähm|äh|ach|ach so|entschuldigen sie|eine frage|kurze frage|ich habe eine frage|ich hätte eine frage|ich hätte da mal eine frage|mal eine frage|noch eine frage|und|d|p
""".strip()
_COURTESY_ZH = "请问|请问一下|请|麻烦|麻烦你|麻烦您|帮我|帮忙|劳驾|打扰一下|打扰了|想问一下|问一下|问个问题|我想问一下|我想知道|我想问|想请教一下|请教一下|那个|嗯|哦|啊|呀|呢|吧|哈"


def _phrases(phrases: str) -> Iterator[str]:
    return filter(None, map(str.strip, re.split(r"[|\n]", phrases)))


def _spellings(phrase: str) -> set[str]:
    return {phrase, phrase.translate(_TWO_LETTERS), phrase.replace("'", "")}


def _spoken(phrases: str) -> str:
    """Phrases as one pattern that branches letter by letter, so that most requests leave it after one or two."""
    tree: dict[str, Any] = {}
    for phrase in _phrases(phrases):
        for spelled in _spellings(phrase):
            node = tree
            for char in spelled:
                node = node.setdefault(char, {})
            node[""] = {}
    return _pattern(tree)


def _pattern(tree: dict[str, Any]) -> str:
    branches = [_written(char) + _pattern(below) for char, below in tree.items() if char]
    if not branches:
        return ""
    # Greedy: the longest phrase that fits is tried first.
    return f"(?:{'|'.join(branches)})" + ("?" if "" in tree else "")


def _written(char: str) -> str:
    return r"\s++" if char == " " else re.escape(char)


def _closed(latin: str, chinese: str) -> str:
    return rf"(?:{_spoken(latin)})(?!['-]?{_LETTER})|(?:{_spoken(chinese)})(?={_PAUSE}|$|[你您请麻帮]|什么|谢谢|吧|呀|啊|呢|哈)"


@cache
def _chat() -> re.Pattern[str]:
    """The closed phrases; compiled for the first request that begins like one."""
    return re.compile(
        rf"(?:(?P<identity>{_closed(_IDENTITY, _IDENTITY_ZH)})|(?P<small_talk>{_closed(_SMALL_TALK, _SMALL_TALK_ZH)})"
        rf"|(?P<greeting>{_closed(_GREETING, _GREETING_ZH)})"
        rf"|(?P<courtesy>(?:{_spoken(_COURTESY)})(?!['-]?{_LETTER})|(?:{_spoken(_COURTESY_ZH)}))){_PAUSE}*+"
    )


@cache
def _openings() -> tuple[str, ...]:
    """The first three words of every phrase."""
    lists = (_IDENTITY, _SMALL_TALK, _GREETING, _COURTESY, _IDENTITY_ZH, _SMALL_TALK_ZH, _GREETING_ZH, _COURTESY_ZH)
    spelled = (one for phrases in lists for phrase in _phrases(phrases) for one in _spellings(phrase))
    return tuple({" ".join(one.split()[:3]) for one in spelled})


def _begins_like_chat(text: str, place: int) -> bool:
    return " ".join(text[place : place + _LONGEST_OPENING].split()).startswith(_openings())


_PAUSES = re.compile(f"{_PAUSE}*+")
_ENDINGS = (
    "please", "pls", "thanks", "thank you", "thx", "bitte", "danke", "danke dir", "danke schön", "vielen dank", "merci", "谢谢", "谢谢你", "谢谢您", "谢啦",
)  # fmt: skip
_ENDING = re.compile(rf"(?:^|{_PAUSE})(?:{'|'.join(_ENDINGS)})$")
_SIGNS = " \n,.!?;:…~，。！？；：、～"
_WEIGHT = ("identity", "small_talk", "greeting")


def read_chat(text: str) -> tuple[int, RuleMatch | None]:
    """Where the closed phrases at the start of a folded request end, and which rule they are when they are all of it."""
    found: dict[str, list[tuple[int, int]]] = {}
    place = pauses.end() if (pauses := _PAUSES.match(text)) else 0
    while _begins_like_chat(text, place) and (match := _chat().match(text, place)):
        rule = str(match.lastgroup)
        found.setdefault(rule, []).append(match.span(rule))
        place = match.end()
    rule = next((rule for rule in _WEIGHT if rule in found), "")
    if place < len(text) or not rule:
        return place, None
    return place, RuleMatch(rule, tuple(found[rule]))


def without_ending(text: str, start: int) -> int:
    """Where a folded request ends without its closing signs and its please or thanks."""
    text = text[start:].rstrip(_SIGNS)
    while text.endswith(_ENDINGS):
        match = _ENDING.search(text, max(0, len(text) - 20))
        if match is None:
            break
        text = text[: match.start()].rstrip(_SIGNS)
    return start + len(text)
