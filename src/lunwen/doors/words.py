"""Every string of the interface, in English and in Chinese."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

LANGUAGES = ("zh", "en")

#: key → (English, Chinese). ``{n}`` and friends are filled in by ``Words``.
TABLE: dict[str, tuple[str, str]] = {
    "html_lang": ("en", "zh-CN"),
    "site": ("论文检索", "论文检索"),
    "skip": ("Skip to the results", "跳到结果"),
    "home": ("Start page", "首页"),
    "language": ("Language", "语言"),
    # the search box
    "search": ("Search", "检索"),
    "search_label": ("Search papers", "检索论文"),
    "search_hint": ("Title, author, topic, DOI or arXiv id", "标题、作者、主题、DOI 或 arXiv 编号"),
    "suggested": ("Suggestions", "建议"),
    "title": ("Title", "标题"),
    "syntax": ("Search syntax", "检索语法"),
    "syntax_phrase": ("exactly these words, in this order", "逐字匹配的短语"),
    "syntax_minus": ("without this word", "不含这个词"),
    "syntax_or": ("either of them; parentheses group", "任一即可；可加括号"),
    "syntax_author": ("by this author (short: au:)", "这位作者（简写 au:）"),
    "syntax_title": ("in the title (short: ti:)", "标题中含有（简写 ti:）"),
    "syntax_text": ("in the text of a PDF that is here", "在本地 PDF 的正文中"),
    "syntax_venue": ("at this venue", "这个会议"),
    "syntax_year": ("years; also >=2023", "年份；也可写 >=2023"),
    "syntax_correct": ('what a Chinese term means; "" leaves it out', '指定中文词的英文译法；"" 表示不译'),
    "syntax_id": ("jumps to the paper; so do URLs", "直达论文；粘贴网址也行"),
    # the list
    "papers": ("{n} papers", "{n} 篇"),
    "papers_one": ("{n} paper", "{n} 篇"),
    "papers_about": ("about {n} papers", "约 {n} 篇"),
    "colon": (": ", "："),
    "took": ("{n} ms", "{n} ms"),
    "results_for": ("Results for “{query}”", "“{query}”的检索结果"),
    "all_papers": ("Papers", "论文"),
    "newest": ("Newest papers", "最新论文"),
    "library_says": (
        "{papers} papers · {venues} venues · {years}",
        "{papers} 篇论文 · {venues} 个会议 · {years}",
    ),
    "reading": ("How the query was read", "检索式解读"),
    "correct": ("Correct", "修改译法"),
    "correct_says": (
        "Puts the English of each Chinese term into the box, to be changed",
        "把每个中文词的英文译法写进检索框，改好再检索",
    ),
    "mode": ("Search by", "检索方式"),
    "mode_hybrid": ("Words and meaning", "综合"),
    "mode_lexical": ("Words", "按词"),
    "mode_semantic": ("Meaning", "按语义"),
    "explain": ("Why?", "命中原因"),
    "why_words": ("Words{rank}: {words}", "词{rank}：{words}"),
    "why_meaning": ("meaning{rank}: cosine {n}", "语义{rank}：余弦 {n}"),
    "none": ("none", "无"),
    "comma": (", ", "、"),
    "sort": ("Sort", "排序"),
    "sort_relevance": ("Relevance", "相关"),
    "sort_newest": ("Newest", "最新"),
    "sort_citations": ("Citations", "引用"),
    "per_page": ("Per page", "每页"),
    "et_al": ("et al.", "等"),
    "more": ("Show all", "展开"),
    "less": ("Fold", "收起"),
    "abstract_of": ("the abstract of {title}", "摘要：{title}"),
    "no_abstract": ("No abstract known", "暂无摘要"),
    "anonymous": ("Anonymous", "匿名"),
    "did_you_mean": ("Did you mean", "您要找的是不是"),
    "nothing": ("Nothing found", "没有找到"),
    "nothing_try": ("These have results:", "下面这些有结果："),
    "nothing_hint": (
        "Fewer words or fewer filters find more. Every paper can be reached from the topics.",
        "少用几个词，或去掉筛选条件试试；也可以从主题浏览。",
    ),
    "start_over": ("Start over", "重新开始"),
    "pages": ("Pages", "分页"),
    "page_n": ("Page {n}", "第 {n} 页"),
    "previous": ("Previous", "上一页"),
    "next": ("Next", "下一页"),
    "no_page": ("There is no page {n}", "没有第 {n} 页"),
    "no_page_says": ("These results have {n} pages.", "这些结果共 {n} 页。"),
    "no_page_says_one": ("These results have one page.", "这些结果只有一页。"),
    "to_last_page": ("Go to page {n}", "去第 {n} 页"),
    # filters
    "filters": ("Filters", "筛选"),
    "filters_on": ("Active filters", "已选条件"),
    "remove": ("Remove {name}: {value}", "去掉{name}：{value}"),
    "clear": ("Clear all", "全部清除"),
    "all": ("All", "全部"),
    "others": ("{n} more", "其余 {n} 项"),
    "subtopics": ("Topics within {name}", "{name} 的子主题"),
    "also": ("Add another", "再加一个"),
    "venue": ("Venue", "会议"),
    "year": ("Year", "年份"),
    "topic": ("Topic", "主题"),
    "status": ("Status", "状态"),
    "source": ("Source", "来源"),
    "author": ("Author", "作者"),
    "has": ("With", "含有"),
    "year_from": ("From", "从"),
    "year_to": ("to", "到"),
    "apply": ("Apply", "应用"),
    "hidden_too": ("Rejected and withdrawn too", "同时显示被拒和撤稿"),
    "has_abstract": ("Abstract", "摘要"),
    "has_code": ("Code", "代码"),
    "has_method": ("Runs here", "可在此运行"),
    "has_text": ("Full text", "正文"),
    "in_text": ("In the text, p. {page}", "正文第 {page} 页"),
    "status_all": ("All", "全部"),
    "status_accepted": ("Accepted", "已接收"),
    "status_oral": ("Oral", "口头报告"),
    "status_spotlight": ("Spotlight", "焦点报告"),
    "status_poster": ("Poster", "海报"),
    "status_preprint": ("Preprint", "预印本"),
    "status_rejected": ("Rejected", "被拒"),
    "status_withdrawn": ("Withdrawn", "撤稿"),
    # links
    "link_paper": ("Paper", "原文页"),
    "link_pdf": ("PDF", "PDF"),
    "pdf_here": ("PDF here", "本地 PDF"),
    "pdf_long": ("PDF here ({pages})", "本地 PDF（{pages}）"),
    "pdf_pages": ("{n} pages", "{n} 页"),
    "pdf_pages_one": ("{n} page", "{n} 页"),
    "pdf_hint": ("Its text can be searched:", "可检索它的正文："),
    "pdf_hint_word": ("text:word", "text:词语"),
    "pdf_no_text": ("Its text cannot be searched.", "它的正文无法检索。"),
    "link_code": ("Code", "代码"),
    "link_project": ("Project", "项目"),
    "link_video": ("Video", "视频"),
    "link_poster": ("Poster", "海报"),
    "link_slides": ("Slides", "幻灯片"),
    "link_supplementary": ("Supplement", "附录"),
    "link_software": ("Software", "软件"),
    "link_dataset": ("Data", "数据"),
    "link_page": ("Programme", "会议日程"),
    "bibtex": ("BibTeX", "BibTeX"),
    "export": ("Export", "导出"),
    "export_says": ("All {papers} as a file", "全部 {papers}，存为文件"),
    "cite_as": ("Also as", "其他格式"),
    "format_reference": ("References (APA)", "参考文献（APA）"),
    "copy": ("Copy", "复制"),
    "copied": ("Copied", "已复制"),
    "copy_failed": ("Could not copy", "未能复制"),
    # one paper
    "abstract": ("Abstract", "摘要"),
    "summary": ("Summary in our words", "概要（本站撰写）"),
    "summary_short": ("Our summary", "本站概要"),
    "tldr": ("In one sentence", "一句话"),
    "keywords": ("Keywords", "关键词"),
    "other_authors": ("{n} more authors", "其余 {n} 位作者"),
    "affiliations": ("Affiliations", "单位"),
    "orcid": ("ORCID of {name}", "{name} 的 ORCID"),
    "citations": ("cited {n} times", "被引 {n} 次"),
    "cited": ("Citations", "被引"),
    "notes": ("Good to know", "说明"),
    "gone": ("No longer listed by {where} since {date}", "自 {date} 起，{where} 不再收录"),
    "its_source": ("its source", "来源"),
    "sources": ("Sources", "数据来源"),
    "sources_say": (
        "What can be followed, and how what is followed stands. Follow a venue with:",
        "可以跟踪的来源，以及已跟踪的情况。跟踪一个会议：",
    ),
    "at_site": ("Site", "站点"),
    "years": ("Years", "年份"),
    "licence": ("Licence", "许可"),
    "outcome_done": ("done", "完成"),
    "outcome_not_published_yet": ("not published yet", "尚未发布"),
    "outcome_failed": ("failed", "失败"),
    "outcome_interrupted": ("interrupted", "中断"),
    "similar": ("Similar papers", "相近论文"),
    "similar_to": ("Similar papers: {title}", "相近论文：{title}"),
    "similar_all": ("Show more", "查看更多"),
    "similar_back": ("To the paper", "返回论文"),
    "nearness": ("cosine {n}", "余弦 {n}"),
    "with_abstract": ("with the abstract", "含摘要"),
    "maybe_same": ("Maybe the same paper", "可能是同一篇"),
    "details": ("Details", "详情"),
    "published_in": ("Published in", "发表于"),
    "publisher": ("Publisher", "出版者"),
    "volume": ("Volume", "卷"),
    "pages_in": ("Pages", "页码"),
    "date": ("Date", "日期"),
    "track": ("Track", "类别"),
    "paper_id": ("Id in this library", "本库编号"),
    "provenance": ("Where this comes from", "数据来源"),
    "provenance_says": (
        "Every value a source gave; the marked ones are shown.",
        "各来源给出的全部取值；打勾的为所显示的值。",
    ),
    "field": ("Field", "字段"),
    "value": ("Value", "取值"),
    "file": ("File", "文件"),
    "imported": ("Imported", "导入时间"),
    "chosen": ("Shown", "采用"),
    "yes": ("yes", "是"),
    # a method
    "method": ("This paper runs here", "这篇论文可以在此运行"),
    "methods": ("Papers that run", "能跑的论文"),
    "methods_say": (
        "Each paper's method as one module for your own data, its claims measured with baseline and control.",
        "每篇论文的方法都写成一个可用于你自己数据的模块，并用小实验检验论文的论断：有基线，也有必须失败的对照。",
    ),
    "claims": ("Claims, measured here", "论断与本站实测"),
    "claim": ("Claim", "论断"),
    "quantity": ("Quantity", "量"),
    "estimate": ("Measured", "实测"),
    "interval": ("95 % interval", "95% 区间"),
    "limit": ("Limit", "界限"),
    "baseline": ("Baseline", "基线"),
    "verdict": ("Verdict", "判定"),
    "seconds": ("Seconds", "秒"),
    "more_measured": ("… and {n} more (--json has all)", "…… 另有 {n} 项（--json 列出全部）"),
    "control": ("Control", "对照"),
    "control_failed": ("fails as it must", "如期失败"),
    "control_not_failed": ("did not fail", "没有失败"),
    "example": ("Try it", "试一试"),
    "symbols": ("In symbols", "公式"),
    "source_code": ("The whole module", "完整代码"),
    "not_covered": ("Not covered", "未涵盖"),
    "differs": ("Where it differs from the paper", "与论文的不同之处"),
    "unchecked": ("Not checkable here", "此处无法检验"),
    "measured_on": (
        "Measured {date}, {scale}, {seeds} seeds; {versions}",
        "测于 {date}，{scale}，{seeds} 个随机种子；{versions}",
    ),
    "scale_full": ("full size", "完整规模"),
    "scale_fast": ("fast look", "快速检验"),
    "looked": (
        "{scale}, {seeds} seeds.",
        "{scale}，{seeds} 个随机种子。",
    ),
    "on_record": (
        "On record ({scale}, {seeds} seeds): {standing}. As the evidence is measured: --full",
        "存档（{scale}，{seeds} 个随机种子）：{standing}。按存档规模测量：--full",
    ),
    "not_measured": (
        "Not measured yet: lunwen check {method} --full --write",
        "尚未测量：lunwen check {method} --full --write",
    ),
    "stale_short": ("stale", "已过期"),
    "controls_not_failed": ("{n} control did not fail", "{n} 个对照没有失败"),
    "damaged": ("evidence damaged", "实测记录已损坏"),
    "damaged_says": (
        (
            "evidence damaged: {method}.json cannot be read. "
            "Measure again with: lunwen check {method} --full --write"
        ),
        "实测记录无法读取。重新测量：lunwen check {method} --full --write",
    ),
    "stale": ("The method changed since it was measured", "测量之后方法有改动"),
    "plot_of": ("What was measured of each claim, against its limit", "各论断的实测值与界限"),
    "area_bilevel": ("bilevel", "双层优化"),
    "area_concentration": ("concentration", "集中不等式"),
    "area_conformal": ("conformal", "共形预测"),
    "area_estimation": ("estimation", "估计"),
    "area_online": ("online", "在线学习"),
    "area_training": ("training", "训练"),
    "verdict_holds": ("holds", "成立"),
    "verdict_weaker": ("weaker", "较弱"),
    "verdict_undecided": ("undecided", "未定"),
    "verdict_fails": ("fails", "不成立"),
    "verdict_not_run": ("not run", "未测"),
    "kind_identity": ("identity", "恒等式"),
    "kind_bound": ("bound", "概率界"),
    "kind_order": ("order", "优劣"),
    "kind_number": ("number", "数值"),
    # an author
    "also_spelled": ("Also spelled", "又写作"),
    "hidden_papers": ("{n} rejected or withdrawn not shown", "另有 {n} 篇被拒或撤稿，未列出"),
    "ids": ("Ids", "编号"),
    "search_author": ("Search and filter these papers", "在这些论文中检索、筛选"),
    "coauthors": ("Written with", "合作者"),
    "venues": ("Venues", "会议"),
    "maybe_same_person": ("Maybe the same person", "可能是同一人"),
    "no_year": ("Without a year", "年份不详"),
    "by_year": ("Papers by year", "历年论文数"),
    # what readers keep
    "shelf": ("Collections", "收藏"),
    "shelf_says": ("Kept in the library's file on this machine.", "保存在本机的论文库文件中。"),
    "starred": ("Starred", "星标"),
    "star": ("Star", "星标"),
    "star_of": ("Star: {title}", "星标：{title}"),
    "star_failed": ("Not kept. Reload the page and try again", "未能保存，请刷新页面后重试"),
    "collection_add": ("Add to a collection", "加入收藏"),
    "collection_name": ("Name of a collection", "收藏名称"),
    "add": ("Add", "加入"),
    "take_out": ("Take out of {name}", "移出“{name}”"),
    "rename": ("Rename", "改名"),
    "delete": ("Delete", "删除"),
    "delete_collection": ("Delete this collection", "删除此收藏"),
    "delete_collection_says": ("Its papers stay in the library.", "其中的论文仍留在论文库中。"),
    "collection_empty": (
        "Nothing here yet. A star beside a paper, or the key s, puts it here.",
        "这里还没有论文。点论文旁的星标，或按 s 键，即可加入。",
    ),
    "note": ("Your note", "笔记"),
    "save_note": ("Save note", "保存笔记"),
    "watches": ("Saved searches", "保存的检索"),
    "watches_none": (
        "None yet. Below the results of every search is “Save this search”.",
        "还没有。每次检索的结果下方都有“保存此检索”。",
    ),
    "save_search": ("Save this search", "保存此检索"),
    "save_search_says": ("Shows from then on what is new to it.", "此后可查看它的新增论文。"),
    "name": ("Name", "名称"),
    "save": ("Save", "保存"),
    "fresh": ("{n} new", "新增 {n} 篇"),
    "fresh_none": ("Nothing new since the last visit", "上次查看之后没有新增"),
    "seen_all": ("Mark all as seen", "全部标为已看"),
    "whole_search": ("The whole search", "完整检索"),
    "delete_watch": ("Delete this saved search", "删除此检索"),
    "nav": ("Site", "站内导航"),
    "nav_methods": ("Methods", "方法"),
    # the API
    "api": ("HTTP API", "HTTP 接口"),
    "parameters": ("Parameters", "参数"),
    "parameter": ("Parameter", "参数"),
    "allowed": ("Allowed", "取值"),
    "default": ("Default", "默认"),
    "meaning": ("Meaning", "含义"),
    "feed": ("New papers", "新论文"),
    # what went wrong
    "error_400": ("That request does not work", "这个请求不成立"),
    "error_403": ("Nothing was written", "没有写入"),
    "error_403_says": (
        "The form is out of date, or it comes from elsewhere. Go back, reload, try again.",
        "表单已过期，或来自别处。请返回并刷新页面后重试。",
    ),
    "error_404": ("Not here", "这里没有"),
    "error_405": ("This page only reads", "此页只供阅读"),
    "error_500": ("Something broke here", "这里出错了"),
    "error_503": ("Not possible right now", "暂时无法完成"),
    "error_unknown": ("The error was noted. Try again, or start over.", "错误已记录。请重试或重新开始。"),
    "no_such_page": ("There is no page at {path}", "{path} 处没有页面"),
    # keys
    "keys": ("Keyboard", "键盘"),
    "key_search": ("search", "检索"),
    "key_next": ("next, previous paper", "下一篇、上一篇"),
    "key_open": ("open the paper", "打开论文"),
    "key_fold": ("unfold the abstract", "展开摘要"),
    "key_bibtex": ("copy BibTeX", "复制 BibTeX"),
    "key_star": ("star", "星标"),
    "key_help": ("this help", "本帮助"),
    "key_close": ("close", "关闭"),
    "close": ("Close", "关闭"),
}


class Words:
    """The strings of one language: ``words("papers", n=3)``."""

    def __init__(self, language: str) -> None:
        self.language = language
        column = 1 if language == "zh" else 0
        self._table = {key: pair[column] for key, pair in TABLE.items()}

    def __call__(self, key: str, **values: object) -> str:
        """The string for ``key`` with ``values`` filled in."""
        text = self._table[key]
        return text.format(**values) if values else text

    def named(self, prefix: str, value: str) -> str:
        """The name of ``value`` among the keys beginning with ``prefix``; one without a name names itself."""
        return self._table.get(f"{prefix}_{value}", value)

    def count(self, key: str, number: int) -> str:
        """``number`` things, with the singular where the language has one."""
        return self(f"{key}_one" if number == 1 and f"{key}_one" in self._table else key, n=f"{number:,}")


WORDS: dict[str, Words] = {language: Words(language) for language in LANGUAGES}


def choose_language(*, asked: str | None, remembered: str | None, accepted: str) -> str:
    """The language to answer in: asked for, else remembered, else the browser's first."""
    for language in (asked, remembered):
        if language in LANGUAGES:
            return language
    return max(LANGUAGES, key=_weigher(accepted))


def _weigher(accepted: str) -> Callable[[str], float]:
    weights: dict[str, float] = {}
    for part in accepted.split(",")[:20]:
        name, _, quality = part.partition(";q=")
        try:
            weight = float(quality or 1)
        except ValueError:
            weight = 0.0
        language = name.strip().lower().split("-")[0]
        weights[language] = max(weight, weights.get(language, 0.0))
    return lambda language: weights.get(language, 0.01 if language == "en" else 0.0)
