"""Where a paper appeared, as a bibliography says it: in proceedings, in a journal, as a preprint, or not."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from lunwen.corpus.paper import Status

if TYPE_CHECKING:
    from lunwen.corpus.paper import Paper

# What a venue is called on the title page of its proceedings; others are called by their own name.
PROCEEDINGS = {
    "AAAI": "Proceedings of the AAAI Conference on Artificial Intelligence",
    "AACL": "Conference of the Asia-Pacific Chapter of the Association for Computational Linguistics",
    "ACL": "Proceedings of the Annual Meeting of the Association for Computational Linguistics",
    "ACL Findings": "Findings of the Association for Computational Linguistics: ACL",
    "ACM MM": "ACM International Conference on Multimedia",
    "ACML": "Asian Conference on Machine Learning",
    "AISTATS": "International Conference on Artificial Intelligence and Statistics",
    "COLING": "International Conference on Computational Linguistics",
    "COLM": "Conference on Language Modeling",
    "COLT": "Conference on Learning Theory",
    "CoNLL": "Conference on Computational Natural Language Learning",
    "CoRL": "Conference on Robot Learning",
    "CVPR": "IEEE/CVF Conference on Computer Vision and Pattern Recognition",
    "EACL": "Conference of the European Chapter of the Association for Computational Linguistics",
    "ECCV": "European Conference on Computer Vision",
    "EACL Findings": "Findings of the Association for Computational Linguistics: EACL",
    "EMNLP": "Conference on Empirical Methods in Natural Language Processing",
    "EMNLP Findings": "Findings of the Association for Computational Linguistics: EMNLP",
    "ICCV": "IEEE/CVF International Conference on Computer Vision",
    "ICLR": "International Conference on Learning Representations",
    "ICML": "International Conference on Machine Learning",
    "ICRA": "IEEE International Conference on Robotics and Automation",
    "IJCAI": "International Joint Conference on Artificial Intelligence",
    "IROS": "IEEE/RSJ International Conference on Intelligent Robots and Systems",
    "KDD": "ACM SIGKDD Conference on Knowledge Discovery and Data Mining",
    "MLSys": "Conference on Machine Learning and Systems",
    "NAACL": "Conference of the North American Chapter of the Association for Computational Linguistics",
    "NAACL Findings": "Findings of the Association for Computational Linguistics: NAACL",
    "NeurIPS": "Advances in Neural Information Processing Systems",
    "RSS": "Robotics: Science and Systems",
    "SIGIR": "International ACM SIGIR Conference on Research and Development in Information Retrieval",
    "UAI": "Conference on Uncertainty in Artificial Intelligence",
    "WACV": "IEEE/CVF Winter Conference on Applications of Computer Vision",
    "WWW": "The Web Conference",
}
JOURNALS = {
    "Computational Linguistics": "Computational Linguistics",
    "JMLR": "Journal of Machine Learning Research",
    "TACL": "Transactions of the Association for Computational Linguistics",
    "TMLR": "Transactions on Machine Learning Research",
    "TPAMI": "IEEE Transactions on Pattern Analysis and Machine Intelligence",
}
_SENT_BACK = {Status.REJECTED: "Submitted to", Status.WITHDRAWN: "Withdrawn from"}


class Kind(StrEnum):
    """What sort of publication a paper is."""

    CONFERENCE = "conference"
    JOURNAL = "journal"
    PREPRINT = "preprint"
    MANUSCRIPT = "manuscript"  # sent to a venue and not published there


class Publication(NamedTuple):
    """What sort of publication a paper is, and in what it appeared."""

    kind: Kind
    name: str = ""  # of the proceedings or the journal; of a manuscript: "Submitted to …"


def publication(paper: Paper) -> Publication:
    """Say where a paper appeared."""
    venue = paper.venue or ""
    if paper.status in _SENT_BACK and venue:
        return Publication(
            Kind.MANUSCRIPT,
            f"{_SENT_BACK[paper.status]} {PROCEEDINGS.get(venue) or JOURNALS.get(venue, venue)}",
        )
    if paper.status is Status.PREPRINT or not (venue or paper.booktitle) or venue.lower() == "arxiv":
        return Publication(Kind.PREPRINT)
    if venue in JOURNALS:
        return Publication(Kind.JOURNAL, JOURNALS[venue])
    return Publication(Kind.CONFERENCE, paper.booktitle or PROCEEDINGS.get(venue, venue))
