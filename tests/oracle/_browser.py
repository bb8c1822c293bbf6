# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A headless Chromium, driven through its DevTools protocol over a pipe: opens pages from disk, runs expressions in
them, presses keys, and keeps what they say on their consoles and every request that they make."""

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
PATIENCE = 60  # seconds for an answer


class Browser:
    """`with Browser() as browser:`"""

    def __enter__(self):
        self.directory = tempfile.TemporaryDirectory(prefix="browser.", ignore_cleanup_errors=True)
        to_read, to_write = os.pipe(), os.pipe()
        self.out, self.into = to_read[1], to_write[0]
        words = [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
                 "--disable-background-networking", "--disable-component-update", "--hide-scrollbars",
                 "--remote-debugging-pipe", f"--user-data-dir={self.directory.name}", "about:blank"]
        # the browser reads its file 3 and writes its file 4
        shell = f'exec "$@" 3<&{to_read[0]} 4>&{to_write[1]}'
        self.process = subprocess.Popen(["bash", "-c", shell, "browser", *words], pass_fds=(to_read[0], to_write[1]),
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_read[0])
        os.close(to_write[1])
        self.number, self.text, self.session = 0, b"", None
        self.messages, self.requests = [], []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(domain + ".enable")
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        os.close(self.out)
        os.close(self.into)
        self.directory.cleanup()

    def receive(self):
        end = time.monotonic() + PATIENCE
        while b"\0" not in self.text:
            if not select.select([self.into], [], [], max(0, end - time.monotonic()))[0]:
                raise TimeoutError("the browser does not answer")
            got = os.read(self.into, 1 << 20)
            if not got:
                raise EOFError("the browser has ended")
            self.text += got
        message, _, self.text = self.text.partition(b"\0")
        return json.loads(message)

    def note(self, message):
        """Keeps what a page says and asks for."""
        method, parameters = message.get("method"), message.get("params", {})
        if method == "Log.entryAdded":
            self.messages.append(parameters["entry"]["text"])
        elif method == "Runtime.consoleAPICalled":
            self.messages.append(str(parameters["args"]))
        elif method == "Runtime.exceptionThrown":
            self.messages.append(str(parameters["exceptionDetails"]))
        elif method == "Network.requestWillBeSent":
            self.requests.append(parameters["request"]["url"])

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(answer["error"]["message"])
                return answer["result"]
            self.note(answer)

    def open(self, path, fragment=""):
        self.call("Page.navigate", url="file://" + path + fragment)
        while self.value("document.readyState") != "complete" or self.value("location.protocol") != "file:":
            time.sleep(0.02)

    def visit(self, url):
        """Opens a page of a server, or of the disk after one of a server."""
        scheme = url[:url.index(":")]
        self.call("Page.navigate", url=url)
        while self.value("document.readyState") != "complete" or not self.value("location.href").startswith(scheme):
            time.sleep(0.02)

    def value(self, expression):
        """The value of a JavaScript expression in the page."""
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True,
                           awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(f"{expression}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def press(self, key):
        for kind in ("keyDown", "keyUp"):
            text = key if kind == "keyDown" and len(key) == 1 else ""
            self.call("Input.dispatchKeyEvent", type=kind, key=key, text=text)

    def dark(self, is_dark):
        self.call("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": "dark" if is_dark else "light"}])

    def wide(self, width, height=900):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def picture(self, path, width=1200, height=900):
        self.wide(width, height)
        data = self.call("Page.captureScreenshot", format="png")["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))
