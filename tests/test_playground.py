"""The playground in a browser: a paste, its result, a link; and nothing asks any host but its own.

Needs Chromium with its driver, and `python -m tools.playground_files` before.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from .doc_blocks import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator

VENDOR = ROOT / "build" / "playground"
OWN = ROOT / "tools" / "playground"
built = pytest.mark.skipif(not VENDOR.is_dir(), reason="python -m tools.playground_files was not run")
SCHEMA = {
    "type": "object",
    "properties": {
        "city": {"type": "string", "minLength": 2, "pattern": "^[A-Z]"},
        "days": {"type": "integer", "minimum": 1, "maximum": 7},
        "unit": {"enum": ["C", "F"]},
        "near": {
            "anyOf": [
                {"type": "object", "properties": {"lat": {"type": "number"}}, "required": ["lat"]},
                {"type": "null"},
            ]
        },
        "tags": {"type": "array", "items": {"$ref": "#/$defs/tag"}, "uniqueItems": True, "maxItems": 2},
    },
    "required": ["city"],
    "additionalProperties": False,
    "$defs": {"tag": {"type": "string"}},
}
VALUES = [
    {"city": "Oslo"}, {}, {"city": 5}, {"city": "o"}, {"city": "Oslo", "days": 9}, {"city": "Oslo", "days": 1.5},
    {"city": "Oslo", "unit": "K"}, {"city": "Oslo", "near": {}}, {"city": "Oslo", "near": "here"}, {"city": "Oslo", "near": None},
    {"city": "Oslo", "more": 1, "and": 2}, {"city": "Oslo", "tags": ["a", "a"]}, {"city": "Oslo", "tags": ["a", 1, "b"]},
]  # fmt: skip
ASKS = """
import json, sys
from utp_cli.validation.schemas import compiled
from utp_cli.validation.wording import leaves, worded
schema, values = json.load(sys.stdin)
made = compiled(schema)
print(json.dumps([[problem.to_dict() | {"hint": ""} for error in made.errors(value, 9) for leaf in leaves(error)
                   for problem in worded(leaf, made.schema)] for value in values]))
import jsonschema_rs
print(jsonschema_rs.__file__, file=sys.stderr)
"""


def told(folder: Path | None) -> list[list[dict[str, Any]]]:
    """Ask what is wrong with the values: with jsonschema-rs, or with what stands in `folder` in its place."""
    path = os.pathsep.join(map(str, [*([folder] if folder else []), ROOT]))
    done = subprocess.run(
        [sys.executable, "-c", ASKS], input=json.dumps([SCHEMA, VALUES]), env={**os.environ, "PYTHONPATH": path},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert (str(folder) in done.stderr) == bool(folder)
    return [sorted(found, key=json.dumps) for found in json.loads(done.stdout)]


@built
def test_the_plain_validator_finds_what_the_other_finds(tmp_path: Path) -> None:
    shutil.unpack_archive(VENDOR / "packages.zip", tmp_path / "packages")
    assert told(tmp_path / "packages") == told(None)


# -- in a browser


class Served(SimpleHTTPRequestHandler):
    """The site, as any host serves files."""

    extensions_map = {**SimpleHTTPRequestHandler.extensions_map, ".mjs": "text/javascript", ".wasm": "application/wasm"}  # noqa: RUF012

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Serve the page with what it runs on; yields its address."""
    site_pages = pytest.importorskip("tools.site_pages")
    folder = tmp_path_factory.mktemp("site")
    for path, source in site_pages.playground():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        if "content" in source:
            target.write_text(source["content"], encoding="utf-8")
        else:
            shutil.copy(source["abs_src_path"], target)
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Served, directory=str(folder)))
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}/playground/index.html"
    server.shutdown()
    server.server_close()


class Browser:
    """Chromium, headless, that writes down every request it makes."""

    def __init__(self, log: Path, width: int) -> None:
        from selenium import webdriver
        from selenium.webdriver.support.ui import WebDriverWait

        options = webdriver.ChromeOptions()
        for word in (
            "headless=new", "no-sandbox", "disable-dev-shm-usage", "disable-gpu", "disable-background-networking",
            "disable-component-update", f"window-size={width},900", f"log-net-log={log}", "net-log-capture-mode=Everything",
        ):  # fmt: skip
            options.add_argument(f"--{word}")
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        service = webdriver.ChromeService(shutil.which("chromedriver"))
        self.driver = webdriver.Chrome(options=options, service=service)
        self.wait = WebDriverWait(self.driver, 90)

    def by(self, name: str) -> Any:
        return self.driver.find_element("id", name)

    def said(self) -> str:
        return str(self.by("said").text)

    def until(self, found: Any) -> None:
        self.wait.until(lambda _: found())

    def open(self, address: str) -> None:
        self.driver.get(address)
        self.until(lambda: self.by("run").is_enabled())

    def report(self) -> str:
        """Return the text of the result's page."""
        self.until(lambda: self.by("report").is_displayed())
        self.driver.switch_to.frame(self.by("report"))
        try:
            self.until(lambda: self.driver.find_elements("tag name", "article"))
            return str(self.driver.find_element("tag name", "body").text)
        finally:
            self.driver.switch_to.default_content()

    def complaints(self) -> list[str]:
        return [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] == "SEVERE"]


@pytest.fixture
def browse(tmp_path: Path) -> Iterator[Any]:
    if not shutil.which("chromium") or not shutil.which("chromedriver"):
        pytest.skip("no Chromium")
    pytest.importorskip("selenium")
    opened: list[Browser] = []

    def start(width: int = 1280) -> Browser:
        opened.append(Browser(tmp_path / f"net{len(opened)}.json", width))
        return opened[-1]

    yield start
    for browser in opened:
        browser.driver.quit()


@built
def test_a_paste_its_result_and_a_link(browse: Any, address: str, tmp_path: Path) -> None:
    browser = browse()
    browser.open(address)
    browser.by("example").click()
    browser.until(lambda: "did not see it" in browser.said())
    shown = browser.report()
    assert "call-left-in-content" in shown
    assert "--enable-auto-tool-choice --tool-call-parser hermes" in shown
    assert "valid" in shown  # checked against the tools, without jsonschema-rs

    browser.by("share").click()
    browser.until(lambda: "#" in browser.driver.current_url)
    link = browser.driver.current_url
    browser.driver.get("about:blank")
    browser.driver.get(link)
    browser.until(lambda: "did not see it" in browser.said())
    assert "get_weather" in browser.by("text").get_attribute("value")
    assert browser.complaints() == []

    browser.driver.quit()
    asked = requests_of(tmp_path / "net0.json")
    assert len(asked) > 8
    assert {request.split("/")[2] for request in asked} == {address.split("/")[2]}


def requests_of(log: Path) -> list[str]:
    """Return the addresses that pages asked for; what Chromium asks on its own account has no initiator."""
    lines = (line.rstrip(",") for line in log.read_text(encoding="utf-8").splitlines()[2:])
    events = [json.loads(line) for line in lines if line.startswith("{") and line.endswith("}")]
    return [
        event["params"]["url"]
        for event in events
        if event.get("params", {}).get("url", "").startswith("http")
        and event["params"].get("initiator") not in (None, "not an origin")
    ]


@built
def test_the_other_commands_and_a_phone(browse: Any, address: str) -> None:
    browser = browse()
    # A window is never as narrow as a phone; what is emulated is.
    phone = {"width": 360, "height": 740, "deviceScaleFactor": 2, "mobile": True}
    browser.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", phone)
    browser.open(address)
    choose = "document.querySelector(`input[value=${arguments[0]}]`).click()"
    browser.driver.execute_script(choose, "detect")
    browser.by("model").send_keys("qwen3:32b")
    browser.by("run").click()
    browser.until(lambda: "--tool-call-parser hermes" in browser.by("plain").text)
    assert "--enable-auto-tool-choice" in browser.by("plain").text
    assert browser.driver.execute_script("return scrollY + innerHeight > document.getElementById('plain').offsetTop")
    browser.driver.execute_script(choose, "audit")
    browser.by("tools").send_keys('{"name": "get user", "parameters": {"type": "object", "properties": {}}}')
    browser.by("run").click()
    browser.until(lambda: "UTP102" in browser.by("plain").text)
    assert "tools:1:" in browser.by("plain").text
    assert "tmp/" not in browser.by("plain").text
    assert max(map(len, browser.by("plain").text.splitlines())) < 60
    browser.driver.execute_script(choose, "render")
    browser.by("format").send_keys("anthropic")
    browser.by("run").click()
    browser.until(lambda: "input_schema" in browser.by("plain").text)
    wide = browser.driver.execute_script("return document.documentElement.scrollWidth")
    assert wide <= browser.driver.execute_script("return window.innerWidth")
    assert browser.complaints() == []


@built
def test_what_goes_wrong_is_said(browse: Any, address: str) -> None:
    browser = browse()
    browser.open(f"{address}#damaged")
    browser.until(lambda: "damaged" in browser.said())
    browser.by("run").click()
    browser.until(lambda: "Paste something" in browser.said())
    browser.by("text").send_keys("x")
    browser.by("tools").send_keys("{")
    browser.by("run").click()
    browser.until(lambda: browser.said().startswith("tools"))
