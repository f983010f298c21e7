"""The words around a question: what says nothing of a subject, and how people ask for papers."""

from __future__ import annotations

import re
from functools import cache

#: Function words. No negation ("not", "without"), no quantity ("few", "one", "all"), nothing that names a
#: thing in the field ("self", "no" of "no free lunch").
STOP_WORDS = frozenset(
    [
        *("a", "an", "the", "this", "that", "these", "those", "it", "its"),
        *("of", "in", "on", "at", "by", "for", "from", "to", "with", "as", "into", "onto", "upon", "via"),
        *("about", "and", "or", "nor", "but", "if", "than", "then", "so"),
        *("is", "are", "was", "were", "be", "been", "being", "am", "do", "does", "did", "done"),
        *("has", "have", "had", "having", "can", "could", "may", "might", "must", "shall", "should"),
        *("will", "would", "i", "me", "my", "we", "us", "our", "you", "your", "he", "him", "his", "she"),
        *("her", "they", "them", "their", "who", "whom", "whose", "which", "what", "when", "where", "why"),
        *("how", "there", "here", "also", "such", "some", "any"),
    ]
)

_NOUNS = frozenset(
    [
        *("paper", "papers", "article", "articles", "study", "studies", "research", "researches"),
        *("work", "works", "literature", "publication", "publications", "preprint", "preprints"),
        *("reference", "references", "scholarship"),
    ]
)
_PERSONS = frozenset(["i", "i'm", "i'd", "i've", "me", "us", "you", "anyone", "someone", "somebody"])
_ASKING = frozenset(
    [
        *(
            "find",
            "recommend",
            "suggest",
            "show",
            "tell",
            "give",
            "list",
            "name",
            "provide",
            "point",
            "direct",
        ),
        *(
            "guide",
            "refer",
            "lead",
            "share",
            "search",
            "searching",
            "look",
            "looking",
            "help",
            "know",
            "learn",
        ),
        *("read", "see", "get", "want", "need", "like", "wish", "interested", "trying", "curious", "seen"),
        *("please", "kindly", "currently", "exploring", "researching", "investigating", "consult", "check"),
    ]
)
#: With "you" or "I" they make a request even where no paper is spoken of.
_REQUESTING = frozenset(
    ["recommend", "suggest", "find", "point", "direct", "provide", "looking", "searching", "interested"]
)
_KINDS = frozenset(
    [
        *("scholarly", "academic", "scientific", "prior", "previous", "existing", "recent", "related"),
        *("relevant", "good", "foundational", "seminal", "single", "specific", "available", "out"),
        *(
            "towards",
            "toward",
            "regarding",
            "concerning",
            "dealing",
            "focused",
            "focusing",
            "topic",
            "subject",
        ),
        *("first", "specifically", "explicitly", "more", "several", "conducted", "exist", "exists", "up"),
        *("whether", "including", "information"),
    ]
)
_DOING = re.compile(  # what papers do in a sentence about them; said of any paper, so of none
    r"(?:explor|investigat|discuss|examin|address|focus|describ|report|present|introduc|propos|consider|us|utili[sz]"
    r"|appl|develop|demonstrat|explain|consult|mention|stud|highlight|attempt|assess|tr)"
    r"(?:e|es|ed|y|ies|ied|ing|s)?"
)
#: Words that inside a question for papers speak of the papers, not of their subject.
REQUEST_WORDS = _NOUNS | _PERSONS | _ASKING | _KINDS

_OPENERS = frozenset(
    [
        *("can", "could", "would", "will", "please", "kindly", "i", "i'm", "i'd", "i've", "we", "is", "are"),
        *("has", "have", "what", "which", "where", "who", "do", "does", "any", "help", "find", "recommend"),
        *("suggest", "show", "give", "tell", "list", "point", "looking", "searching", "search", "need"),
    ]
)
_CLAUSE = re.compile(r".+?(?:[,;:?!.]+(?=\s)|$)", re.DOTALL)
_WORD = re.compile(r"[^\W_]+(?:[-'][^\W_]+)*")

_ZH_VERB = r"(?:(?:推荐|查找|查询|寻找|搜索|检索|列出|介绍|了解|看看|找到?|搜|查|看|有)(?:一下|下)?)"
_ZH_POLITE = r"(?:请问|请|你好|您好|麻烦|帮我|帮忙|给我|我想要?|我在|我要|我需要|想要?)"
_ZH_ASK = (
    rf"(?:{_ZH_POLITE}|(?:能不能|能否|可以|可否|是否)(?={_ZH_POLITE}|{_ZH_VERB})"
    r"|有没有|有无|有哪些|有什么|哪些|哪篇|什么)"
)
_ZH_SOME = r"(?:一些|几篇|一篇|些|哪些|什么)"
_ZH_NOUN = r"(?:(?:(?:相关|有关|最新|近期|经典)的?)*(?:论文|文章|文献|综述|研究|工作))"
_ZH_ABOUT = r"(?:(?:关于|有关|针对|讨论|探讨|研究|涉及|提到|提出|使用)了?)"
_ZH_HEAD = (
    rf"^(?:{_ZH_ASK}+{_ZH_VERB}?{_ZH_SOME}?{_ZH_NOUN}?"
    rf"|{_ZH_VERB}(?:{_ZH_SOME}{_ZH_NOUN}?|{_ZH_NOUN}|(?={_ZH_ABOUT}))"
    rf"|{_ZH_NOUN}(?={_ZH_ABOUT}))(?:是|在)?{_ZH_ABOUT}?"
)
_ZH_TAIL = (
    rf"(?:(?:方面|方向|领域)?(?:的|相关|有关){_ZH_NOUN}|{_ZH_NOUN}(?=有|推荐))(?:有哪些|有没有|有吗|有|呢|吗|推荐)*$"
    r"|(?:有哪些|有没有|有吗)$"
)
_HAN = re.compile(r"[\u4e00-\u9fff]")


@cache
def _compile(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def strip_request(text: str) -> str:
    """Return a question without the wording of a request, or the same text where nothing else is left."""
    kept = _strip_chinese(text.strip()) if not text.isascii() and _HAN.search(text) else _strip_english(text)
    return kept if kept != text.strip() and _WORD.search(kept) else text


def _strip_english(text: str) -> str:
    clauses = _CLAUSE.findall(text)
    lengths = [_request_length(clause) for clause in clauses]
    if not any(lengths):
        return text.strip()
    kept = (clause[length:] for clause, length in zip(clauses, lengths, strict=True))
    return "".join(clause for clause in kept if _WORD.search(clause)).strip(" \t\n,;")


def _request_length(clause: str) -> int:
    """Return how many characters at a clause's beginning are a request: an opener, then its usual words."""
    end, opened, about_papers, to_someone, requests = 0, False, False, False, False
    for match in _WORD.finditer(clause):
        word = match[0].lower()
        if not opened:
            if word in ("and", "but", "so", "also", "hi", "hello"):
                continue
            if word not in _OPENERS:
                return 0
            opened = True
        usual = word in STOP_WORDS or word in REQUEST_WORDS or (about_papers and _DOING.fullmatch(word))
        if not usual:
            break
        about_papers = about_papers or word in _NOUNS
        to_someone = to_someone or word in _PERSONS
        requests = requests or word in _REQUESTING
        end = match.end()
    return end if about_papers or (to_someone and requests) else 0


def _strip_chinese(text: str) -> str:
    bare = text.rstrip(" \t\n?？!！。.")
    kept = _compile(_ZH_TAIL).sub("", _compile(_ZH_HEAD).sub("", bare, count=1), count=1)
    return kept.strip(" \t\n,，、:：") if kept != bare else text
