"""worker.py with a peer that behaves as its name says: fake_worker.py NAME LOG. Each request is a line of the log."""

import os
import pathlib
import signal
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

import worker
from peer import Call, HostPeer

NAME, LOG = sys.argv[1:3]
WARM = pathlib.Path(os.environ["XDG_CACHE_HOME"]) / "compiled"


class Fake(HostPeer):
    """Right, unless its name is another."""

    def missing(self):
        return "not installed here" if NAME == "missing" else ""

    def open(self):
        print("systems print what they like")
        return "1.0"

    def inputs(self, case):
        return {"z": case.unwritten()}

    def prepare(self, case, inputs):
        if NAME == "raises":
            raise ValueError("cannot compile\n\n  line 7: no")
        if NAME == "crashes":
            print("what it says last", file=sys.stderr, flush=True)
            os.kill(os.getpid(), signal.SIGSEGV)
        if NAME == "hangs":
            time.sleep(60)
        if NAME == "leaves":
            sys.stderr.write("no reason")
            os._exit(3)
        if not WARM.exists():
            time.sleep(0.05)
            if NAME != "keeps at its end":
                WARM.touch()
        return Call(self.called, (case, inputs))

    def called(self, case, inputs):
        inputs["z"][:] = case.a * case.x() + case.y() + (NAME == "wrong")
        inputs["calls"] = inputs.get("calls", 0) + 1
        if NAME == "fails later" and inputs["calls"] > 30:
            raise OSError("the device is gone")

    def result(self, inputs):
        return inputs["z"]


class Logged(worker.Worker):
    def answer(self, request):
        with open(LOG, "a", encoding="utf-8") as log:
            log.write(f"{NAME}: {request['do']}\n")
        return super().answer(request)


worker.Worker = Logged
answers = worker.own_output()
worker.serve(Fake(), sys.stdin, answers)
if NAME == "keeps at its end":
    time.sleep(0.2)
    WARM.touch()
