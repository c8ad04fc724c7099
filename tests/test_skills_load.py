"""Skill files: what is shipped, which file wins, and a sentence with file and line for every mistake."""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from case_files import read_yaml
from each_case import each
from veracity.errors import SkillError
from veracity.query.model import TOOLS
from veracity.settings import Settings
from veracity.skills.config import TOOL_KINDS, Intent, Skill, SkillLimits
from veracity.skills.load import SHIPPED, SkillLibrary, SkillReport, check_skills, load_library
from veracity.tools.files import FILE_TOOLS
from veracity.tools.sql import SQL_TOOLS

MINE = """\
name: mine
description: Does something.
strategy: direct
prompt: Do something.
quality: {skill_match: false}
"""
OF_THE_SEED = {
    "reflexion_agent": ("code_reviewer", "反思 自我验证 迭代优化"),
    "code_reviewer": ("reflexion_agent", "代码审查 代码问题 bug_检查"),
    "react_agent": ("goal_driven_agent", "实时搜索 工具调用 信息查询"),
    "goal_driven_agent": ("react_agent", "目标分解 多步规划 方案对比"),
    "rewoo_agent": ("competitor_analyzer", "并行采集 批量获取 多源数据"),
    "competitor_analyzer": ("rewoo_agent", "竞品分析 竞争对比 市场对手"),
    "content_generator": ("geo_optimizer", "内容创作 文章生成 选题写作"),
    "geo_optimizer": ("content_generator", "SEO_优化 GEO_优化 搜索排名"),
}
OURS = {
    "data_analyst": ("react", "table", "data"),
    "sql_analyst": ("react", "sql", "sql"),
    "file_analyst": ("react", "file", "file"),
    "requirements_reviewer": ("direct", None, "req"),
    "source_scout": ("direct", None, "sources"),
    "summariser": ("direct", None, "sum tldr"),
    "translator": ("direct", None, "translate"),
    "report_writer": ("goal_driven", "table", "report"),
}


class Folders:
    """A user's folder and a project's folder."""

    def __init__(self, base: Path) -> None:
        self.settings = Settings(home=base / "home")
        self.user, self.project = base / "home" / "skills", base / "project"
        self.user.mkdir(parents=True)
        self.project.mkdir()

    def load(self) -> SkillLibrary:
        return load_library(self.settings, project=self.project)

    def check(self, *paths: Path) -> SkillReport:
        return check_skills(paths or None, self.settings, project=self.project)


@pytest.fixture
def folders(tmp_path: Path) -> Folders:
    return Folders(tmp_path)


@pytest.fixture(scope="module")
def shipped(tmp_path_factory: pytest.TempPathFactory) -> SkillLibrary:
    return Folders(tmp_path_factory.mktemp("empty")).load()


def written(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


# --- what is shipped


def test_sixteen_skills_are_shipped(shipped: SkillLibrary) -> None:
    assert set(shipped) == {*OF_THE_SEED, *OURS}
    assert all(one.origin == "shipped" and one.path.stem == name for name, one in shipped.loaded.items())


@pytest.mark.parametrize("name", OF_THE_SEED)
def test_skills_of_the_seed_have_its_words_and_name_each_other(name: str, shipped: SkillLibrary) -> None:
    other, words = OF_THE_SEED[name]
    intent = shipped[name].intent
    assert intent.confusable_with == (other,)
    assert intent.disambiguation_keywords["zh"] == tuple(word.replace("_", " ") for word in words.split())
    assert {lang for lang, own in intent.disambiguation_keywords.items() if own} == {"de", "en", "zh"}


@pytest.mark.parametrize("name", OURS)
def test_skills_of_ours_have_their_strategy_tools_and_prefixes(name: str, shipped: SkillLibrary) -> None:
    skill = shipped[name]
    assert (skill.strategy, skill.kind, " ".join(skill.prefixes)) == OURS[name]


def test_a_review_is_a_word_of_the_code_reviewer(shipped: SkillLibrary) -> None:
    assert {"review", "code review"} <= set(shipped["code_reviewer"].intent.disambiguation_keywords["en"])


@each("path", sorted(SHIPPED.glob("*.yaml")))
def test_a_shipped_skill_says_what_it_is_in_three_languages(path: Path) -> None:
    skill = Skill.model_validate(read_yaml(path))
    assert set(skill.description) == set(skill.intent.keywords) == {"de", "en", "zh"}
    assert len(skill.intent.examples) == 3
    assert len(skill.prompt.split()) <= 150, "small models run these"
    assert skill.prefixes


def test_nothing_is_wrong_with_what_is_shipped(folders: Folders) -> None:
    assert folders.check() == SkillReport([], [], 16)


def test_tools_that_a_skill_may_name_are_those_that_there_are() -> None:
    there_are = {
        **dict.fromkeys(TOOLS, "table"),
        **dict.fromkeys(SQL_TOOLS, "sql"),
        **dict.fromkeys(FILE_TOOLS, "file"),
    }
    assert there_are == TOOL_KINDS


# --- the library


def test_a_project_beats_a_user_and_a_user_beats_what_is_shipped(folders: Folders) -> None:
    mine = MINE.replace("mine", "summariser")
    user = written(folders.user, "a.yaml", mine.replace("Does something", "The user's"))
    assert folders.load()["summariser"].description == {"en": "The user's."}
    project = written(folders.project, "b.yml", mine.replace("Does something", "The project's"))
    library = folders.load()
    assert library["summariser"].description == {"en": "The project's."}
    loaded = library.loaded["summariser"]
    assert (loaded.path, loaded.origin) == (project, "project")
    assert loaded.overrides == (SHIPPED / "summariser.yaml", user)
    assert len(library) == 16


def test_a_skill_of_ones_own_is_one_more(folders: Folders) -> None:
    written(folders.user, "mine.yaml", MINE + "prefixes: [/Mine-Own, kürzer]\n")
    library = folders.load()
    assert list(library) == sorted([*OF_THE_SEED, *OURS, "mine"])
    assert library["mine"].limits == SkillLimits()
    prefixes = library.prefixes()
    assert (prefixes["mine"], prefixes["mine-own"], prefixes["kuerzer"]) == ("mine", "mine", "mine")
    assert prefixes["sql"] == "sql_analyst"
    assert prefixes["sql_analyst"] == "sql_analyst"


def test_folders_that_are_not_there_have_no_skills(tmp_path: Path) -> None:
    assert len(load_library(Settings(home=tmp_path / "no"), project=tmp_path / "nowhere")) == 16


def test_other_files_of_a_folder_are_left_alone(folders: Folders) -> None:
    for name in ("README.md", ".hidden.yaml", "mine.yaml~", "mine.json"):
        written(folders.user, name, "not: a skill")
    assert len(folders.load()) == 16


def test_the_gate_learns_the_words_of_confusable_skills(shipped: SkillLibrary) -> None:
    context = shipped.context(shipped["reflexion_agent"], "the input")
    assert (context.skill, context.input) == ("reflexion_agent", "the input")
    assert context.others == {"code_reviewer": shipped["code_reviewer"].intent.disambiguation_keywords}
    assert shipped.context(shipped["code_reviewer"], "").output_schema == shipped["code_reviewer"].output_schema


def test_a_file_in_place_of_a_folder_is_told(folders: Folders) -> None:
    folders.project.rmdir()
    folders.project.write_text("not a folder", encoding="utf-8")
    with pytest.raises(SkillError, match=r"The skills in .*project cannot be read"):
        folders.load()


# --- mistakes

SCHEMA = "output_schema: {type: object, properties: {a: {type: string}}}\n"
MISTAKES: list[tuple[str, str, int, str]] = [
    ("broken YAML", "name: [mine\n", 2, "not valid YAML"),
    ("a tab", "name: mine\n\tprompt: x\n", 2, "not valid YAML"),
    ("an empty file", "", 1, "the file is empty"),
    ("only a comment", "# nothing\n", 1, "the file is empty"),
    ("a list", "- name: mine\n", 1, "not a skill"),
    ("a text", "mine\n", 1, "not a skill"),
    ("a Python object", "name: !!python/object/apply:os.system [ls]\n", 1, "not valid YAML"),
    ("no name", MINE.replace("name: mine\n", ""), 1, "name: it is missing; add it"),
    ("no prompt", MINE.replace("prompt: Do something.\n", ""), 1, "prompt: it is missing"),
    ("a name with spaces", MINE.replace("name: mine", "name: My skill"), 1, "'My skill' cannot be used; small letters"),
    ("a name with a line break", MINE.replace("name: mine", 'name: "mine\\n"'), 1, "cannot be used"),
    ("a number as a name", MINE.replace("name: mine", "name: 7"), 1, "a text is needed"),
    ("an unknown strategy", MINE.replace("direct", "reakt"), 3, "there is no strategy 'reakt'; did you mean react"),
    ("a strategy unlike any", MINE.replace("direct", "xyz"), 3, "there are direct, react, reflexion, rewoo, goal_driven"),
    ("no text as a strategy", MINE.replace("direct", "{a: 1}"), 3, "is needed, not what is there"),
    ("an unknown tool", MINE + "tools:\n  - queryTabel\n", 7, "there is no tool 'queryTabel'; did you mean queryTable"),
    ("a tool unlike any", MINE + "tools: [web]\n", 6, "there is no tool 'web'; there are browseTable, queryTable"),
    ("tools of two kinds", MINE + "tools: [queryTable, inspect_file]\n", 6, "tools of one kind are needed"),
    ("a tool twice", MINE + "tools: [queryTable, queryTable]\n", 6, "a tool is named twice"),
    ("a schema beside tools", MINE + "tools: [queryTable]\n" + SCHEMA, 7, "output_schema is only for skills without tools"),
    ("tools that are never called", MINE + "tools: [queryTable]\n", 6, "tools are never called by direct"),
    ("bound figures without tools", MINE + "figures: bound\n", 6, "figures: bound needs tools"),
    ("fields without a schema", MINE.replace("{skill_match: false}", "{required_fields: [a]}"), 5, "needs an output_schema"),
    ("an invalid schema", MINE + "output_schema:\n  type: object\n  properties:\n    a: {type: strin}\n", 9, "not valid JSON Schema"),
    ("a schema of no object", MINE + "output_schema: {type: string}\n", 6, "the schema of an object is needed"),
    ("a remote reference", MINE + "output_schema:\n  type: object\n  properties:\n    a: {$ref: 'https://a.example/b'}\n", 9, "nothing is fetched"),
    ("an empty prompt", MINE.replace("Do something.", '" "'), 4, "prompt: it is empty; say what the model has to do"),
    ("a prompt that is far too long", MINE.replace("Do something.", "x" * 20_001), 4, "at most 20000 characters"),
    ("an empty description", MINE.replace("Does something.", '""'), 2, "say in a sentence what the skill does"),
    ("an unknown language", MINE.replace("Does something.", "{fr: Fait.}"), 2, "there is no language 'fr'"),
    ("keywords in no language", MINE + "intent:\n  keywords: {fr: [mot]}\n", 7, "there is no language 'fr'"),
    ("a key that there is not", MINE + "promt: x\n", 6, "promt: there is no such key; did you mean prompt"),
    ("a key that there is not, inside", MINE + "limits:\n  round: 3\n", 7, "limits.round: there is no such key; did you mean rounds"),
    ("a key twice", MINE + "strategy: react\n", 6, "strategy is there twice; keep one of them"),
    ("a limit of nothing", MINE + "limits: {rounds: 0}\n", 6, "limits.rounds: it should be greater than or equal to 1"),
    ("a limit that is no number", MINE + "limits: {seconds: soon}\n", 6, "limits.seconds: it should be a valid number"),
    ("lengths that leave nothing", MINE.replace("skill_match: false", "min_length: 9, max_length: 3"), 5, "min_length 9 is more than max_length 3"),
    ("a mode that there is not", MINE.replace("skill_match: false", "mode: harsh"), 5, "'strict' or 'lenient' is needed, not 'harsh'"),
    ("a validator without a function", MINE.replace("skill_match: false", "validators: [{path: my.module}]"), 5, "a validator is named package.module:function"),
    ("a prefix of two words", MINE + "prefixes: [two words]\n", 6, "'two words' cannot be used; one word of letters"),
    ("a prefix that is a command", MINE + "prefixes: [quit]\n", 6, "/quit is a command of veracity chat"),
    ("a prefix of another skill", MINE + "prefixes: [sql]\n", 6, "/sql already calls sql_analyst"),
    ("a prefix that is another skill", MINE + "prefixes: [data_analyst]\n", 6, "/data_analyst already calls data_analyst"),
    ("a confusable skill that there is not", MINE + "intent:\n  confusable_with:\n    - code_reviever\n", 8, "there is no skill code_reviever; did you mean code_reviewer"),
    ("a skill confused with itself", MINE + "intent: {confusable_with: [mine]}\n", 6, "a skill cannot be confused with itself"),
    ("keys in place of a text", MINE.replace("quality: {skill_match: false}", "quality: [a]"), 5, "keys with values are needed"),
    ("aliases that hold themselves", MINE + "output_schema: &a {type: object, properties: {b: *a}}\n", 6, "refers to itself"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "line", "says"), [one[1:] for one in MISTAKES], ids=[one[0] for one in MISTAKES])
def test_a_mistake_is_told_with_file_and_line(text: str, line: int, says: str, folders: Folders) -> None:
    path = written(folders.user, "mine.yaml", text)
    with pytest.raises(SkillError) as told:
        folders.load()
    assert str(told.value).startswith(f"{path}, line {line}: "), told.value
    assert says in str(told.value)
    assert str(told.value).endswith(".")
    assert folders.check().problems == [str(told.value)]
    assert folders.check(path).problems == [str(told.value)]


def test_eleven_megabytes_are_no_skill(folders: Folders) -> None:
    path = written(folders.user, "mine.yaml", MINE + "# " + "x" * 11_000_000)
    started = time.monotonic()
    with pytest.raises(SkillError, match=re.escape(f"{path} has more than 1 MB; a skill file is a few pages.")):
        folders.load()
    assert time.monotonic() - started < 10


def test_what_is_not_utf8_is_told(folders: Folders) -> None:
    path = folders.user / "mine.yaml"
    path.write_bytes(MINE.replace("Does", "Tut schön").encode("latin-1"))
    with pytest.raises(SkillError, match="not encoded in UTF-8"):
        folders.load()


def test_two_files_of_one_folder_with_one_name_are_a_mistake(folders: Folders) -> None:
    written(folders.user, "a.yaml", MINE)
    second = written(folders.user, "b.yaml", MINE)
    with pytest.raises(SkillError) as told:
        folders.load()
    assert (
        str(told.value)
        == f"{second}, line 1: name: a.yaml in the same folder has the name mine, too; rename one of them."
    )


def test_the_same_prefix_of_two_skills_of_ones_own_is_a_mistake(folders: Folders) -> None:
    first = written(folders.project, "a.yaml", MINE + "prefixes: [short]\n")
    written(folders.user, "b.yaml", MINE.replace("name: mine", "name: other") + "prefixes: [x, Short]\n")
    [problem] = folders.check().problems
    assert problem.startswith(f"{first}, line 6: prefixes.0: /short already calls other")


def test_a_skill_may_have_its_own_name_as_a_prefix_and_that_of_one_it_stands_in_for(folders: Folders) -> None:
    written(
        folders.user, "mine.yaml", MINE.replace("name: mine", "name: sql_analyst") + "prefixes: [sql, sql_analyst]\n"
    )
    assert folders.load().prefixes()["sql"] == "sql_analyst"


# --- check


def test_check_tells_every_mistake_of_every_file(folders: Folders) -> None:
    written(folders.user, "a.yaml", "name: A\nstrategy: xyz\ntools: [web]\nlimits: {rounds: 0, seconds: -1}\n")
    written(folders.user, "b.yaml", "name: [\n")
    written(
        folders.project, "c.yaml", MINE + "prefixes: [sql, data]\nintent: {confusable_with: [nobody, code_reviewer]}\n"
    )
    report = folders.check()
    assert report.checked == 19
    lines = [re.sub(r".*/(\w+\.yaml), line (\d+): ([\w.]*).*", r"\1 \2 \3", problem) for problem in report.problems]
    assert lines == [
        "a.yaml 1 name",
        "a.yaml 1 description",
        "a.yaml 2 strategy",
        "a.yaml 3 tools",
        "a.yaml 1 prompt",
        "a.yaml 4 limits.rounds",
        "a.yaml 4 limits.seconds",
        "b.yaml 2 not",
        "c.yaml 6 prefixes.0",
        "c.yaml 6 prefixes.1",
        "c.yaml 7 intent.confusable_with.0",
    ]


def test_every_mistake_of_a_schema_is_told(folders: Folders) -> None:
    schema = "output_schema:\n  type: object\n  properties:\n    a: {type: strin}\n    b: {minLength: x}\n    c: {pattern: '(?=x)'}\n"
    path = written(folders.user, "mine.yaml", MINE + schema)
    problems = folders.check(path).problems
    assert [re.findall(r"line (\d+)", problem)[0] for problem in problems] == ["9", "10", "11"]


def test_named_files_are_checked_as_if_a_project_had_them(folders: Folders, tmp_path: Path) -> None:
    written(folders.user, "broken.yaml", "name: [\n")
    fine = written(tmp_path, "fine.yaml", MINE + "intent: {confusable_with: [code_reviewer]}\n")
    assert folders.check(fine) == SkillReport([], [], 1)
    folder = tmp_path / "more"
    folder.mkdir()
    assert folders.check(folder).problems == [f"{folder} has no skill file; one ends in .yaml or .yml."]
    written(folder, "a.yaml", MINE)
    written(folder, "b.yaml", MINE)
    assert "has the name mine, too" in folders.check(folder).problems[0]
    assert "cannot be read: no such file" in folders.check(tmp_path / "none.yaml").problems[0]


KEYWORDS = "intent:\n  keywords: {{en: [{0}], de: [{1}]}}\n"


def skill(name: str, more: str) -> str:
    return MINE.replace("name: mine", f"name: {name}") + more


def test_check_warns_of_keywords_that_two_skills_share(folders: Folders) -> None:
    written(folders.user, "a.yaml", skill("alpha", KEYWORDS.format("Gizmo, other", "Dings")))
    path = written(folders.project, "b.yaml", skill("beta", KEYWORDS.format("gizmo", "Bums")))
    report = folders.check()
    assert report.problems == []
    [warning] = report.warnings
    assert warning.startswith(
        f"{path}, line 7: intent.keywords: beta and alpha share gizmo, and nothing tells them apart"
    )


def test_the_same_word_in_two_languages_is_not_shared(folders: Folders) -> None:
    written(folders.user, "a.yaml", skill("alpha", KEYWORDS.format("Gizmo", "Dings")))
    written(folders.user, "b.yaml", skill("beta", KEYWORDS.format("Dings", "Gizmo")))
    assert folders.check().warnings == []


@pytest.mark.parametrize(
    ("first", "second", "warned"),
    [
        ("disambiguation_keywords: {en: [aaa]}, confusable_with: [beta]", "disambiguation_keywords: {en: [bbb]}, confusable_with: [alpha]", False),
        ("disambiguation_keywords: {en: [aaa]}, confusable_with: [beta]", "confusable_with: [alpha]", True),
        ("disambiguation_keywords: {en: [aaa]}, confusable_with: [beta]", "disambiguation_keywords: {en: [bbb]}", True),
        ("disambiguation_keywords: {en: [aaa]}, confusable_with: [beta]", "disambiguation_keywords: {de: [bbb]}, confusable_with: [alpha]", True),
        ("disambiguation_keywords: {en: [aaa]}, confusable_with: [beta]", "disambiguation_keywords: {en: [aaa]}, confusable_with: [alpha]", True),
    ],
    ids=["both have words and name each other", "one has none", "one does not name the other", "in another language", "the same"],
)  # fmt: skip
def test_shared_keywords_are_fine_where_others_tell_them_apart(
    first: str, second: str, warned: bool, folders: Folders
) -> None:
    written(folders.user, "a.yaml", skill("alpha", f"intent: {{keywords: {{en: [gizmo]}}, {first}}}\n"))
    written(folders.user, "b.yaml", skill("beta", f"intent: {{keywords: {{en: [gizmo]}}, {second}}}\n"))
    report = folders.check()
    assert report.problems == []
    assert bool(report.warnings) is warned


def test_check_warns_of_a_skill_match_that_has_nothing_to_look_for(folders: Folders) -> None:
    written(folders.user, "mine.yaml", MINE.replace("quality: {skill_match: false}\n", ""))
    [warning] = folders.check().warnings
    assert "there are no keywords, so skill_match has nothing to look for" in warning


def test_check_warns_of_a_strategy_that_needs_tools(folders: Folders) -> None:
    written(folders.user, "mine.yaml", MINE.replace("direct", "rewoo"))
    [warning] = folders.check().warnings
    assert "line 3: strategy: rewoo without tools is the same as direct" in warning


@pytest.mark.parametrize("mode", ["strict", "lenient"])
def test_a_validator_that_cannot_be_imported_is_a_problem_if_strict_and_otherwise_a_warning(
    mode: str, folders: Folders
) -> None:
    rule = f"skill_match: false, validators: [{{path: 'no_such_module:check', mode: {mode}}}, {{path: 'json:loads'}}]"
    written(folders.user, "mine.yaml", MINE.replace("skill_match: false", rule))
    report = folders.check()
    [told] = report.problems if mode == "strict" else report.warnings
    assert (len(report.problems), len(report.warnings)) == ((1, 0) if mode == "strict" else (0, 1))
    assert "line 5: quality.validators.0: the validator no_such_module:check cannot be imported" in told
    assert folders.load()["mine"].quality.validators, "it is a finding of every run, not of the loading"


# --- models


def test_a_skill_is_frozen_and_has_no_other_keys() -> None:
    made = Skill(name="mine", description={"en": "Does."}, strategy="direct", prompt=" Do. ")
    assert (made.prompt, made.kind, made.figures, made.intent) == ("Do.", None, None, Intent())
    with pytest.raises(ValidationError):
        made.name = "other"  # type: ignore[misc]
    with pytest.raises(ValidationError):
        Skill.model_validate({**made.model_dump(), "extra": 1})
    assert Skill.model_validate_json(made.model_dump_json()) == made


@pytest.mark.parametrize(
    "limits",
    [{"rounds": 101}, {"seconds": 0}, {"revisions": 4}, {"goals": 9}, {"timeout": 0}, {"max_tokens": 0}, {"tokens": 0}],
)
def test_limits_have_limits(limits: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        SkillLimits.model_validate(limits)


# --- anything at all


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
)
@given(raw=st.binary(max_size=300) | st.text(max_size=300).map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_any_bytes_are_a_skill_or_a_sentence(raw: bytes, tmp_path: Path) -> None:
    path = tmp_path / "any.yaml"
    path.write_bytes(raw)
    report = check_skills([path], Settings(home=tmp_path / "home"), project=tmp_path / "none")
    assert all(problem.startswith(f"{path}") and problem.endswith(".") for problem in report.problems)
    assert report.problems, "so few bytes are no skill"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=10),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
)
@given(key=st.sampled_from([*Skill.model_fields, "intent.keywords", "quality.validators"]), value=JSON)
def test_any_value_anywhere_is_a_skill_or_a_sentence(key: str, value: Any, tmp_path: Path) -> None:
    data = yaml.safe_load(MINE)
    outer, _, inner = key.partition(".")
    data[outer] = {inner: value} if inner else value
    path = written(tmp_path, "any.yaml", yaml.safe_dump(data, allow_unicode=True))
    report = check_skills([path], Settings(home=tmp_path / "home"), project=tmp_path / "none")
    assert all(problem.startswith(f"{path}") and problem.endswith(".") for problem in report.problems)
