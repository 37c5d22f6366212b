"""Attacks by who may write where: two users of one machine, and folders that lie in reach of both."""

import contextlib
import hashlib
import os
import pathlib
import re
import shutil
import struct
import subprocess
import time

from scene import ATTACKER, EVIL, VICTIM, Missing, attack, rights_of

GOOD = "void scale(const float* x, float* y, int n) { for (int i = 0; i < n; i++) y[i] = x[i] * 2.5f; }\n"
BAD = GOOD.replace("2.5f", "666.0f")
TEXT = 'kernel scale(x: f32[n: i32], out y: f32[n])\n  example n = 4\n  dialect c\n  sources "scale.c"\n  launch scale(x, y, n)\n'


def owned(path, user, mode):
    os.chown(path, user, user)
    path.chmod(mode)


def two_users(scene):
    """A folder that both may write to, one of the attacker's, and the program, which both may read."""
    scene.needs_root()
    shared, attackers = scene.folder / "shared", scene.folder / "attackers"
    for path, user, mode in ((shared, 0, 0o777), (attackers, ATTACKER, 0o755)):
        path.mkdir()
        owned(path, user, mode)
    scene.write("good/scale.c", GOOD)
    scene.write("good/p.kmux", TEXT)
    scene.write("bad/scale.c", BAD)
    scene.write("bad/p.kmux", TEXT)
    return shared, attackers


@contextlib.contextmanager
def repeating(command):
    """Has the attacker run `command` of the shell again and again meanwhile."""
    words = ["/bin/sh", "-c", f"while :; do {command}; done"]
    racer = subprocess.Popen(words, stderr=subprocess.DEVNULL, **rights_of(ATTACKER))
    try:
        yield
    finally:
        racer.kill()
        racer.wait()


def exchange_of(folder, other):
    """The command that puts a copy of `other` in the place of `folder`, and `folder` back."""
    return f"mv {folder} {folder}-away 2>/dev/null; cp -r {other} {folder}; rm -rf {folder}; mv {folder}-away {folder}"


def value_as(scene, user, folder, cache, **variables):
    """What the program in `folder` gives for 1; 0 if it did not run."""
    out = scene.mark.parent / f"{folder}-{user}-{time.monotonic_ns()}.npy"
    words = ["run", scene.folder / folder / "p.kmux", "--backend", "cpu", "--in", "x=ones", "--out", f"y={out}"]
    result = scene.run(*words, user=user, KMUX_CACHE_DIR=str(cache), **variables)
    return struct.unpack("<f", out.read_bytes()[-4:])[0] if result.returncode == 0 else 0


def forged(cache, evil):
    """Makes the entries of `cache` good ones with the code of `evil`, as who may write to both can."""
    artifact = next(evil.glob("v1/*/*/*/artifact")).read_bytes()
    launcher = next(evil.glob("v1/*/*/*/launcher")).read_bytes()
    for manifest in cache.glob("v1/*/*/*/manifest.json"):
        text = manifest.read_text()
        body = text[len('{"manifest":') : -len(',"sha256":"' + "0" * 64 + '"}\n')]
        for name, content in (("artifact", artifact), ("launcher", launcher)):
            (manifest.parent / name).write_bytes(content)
            digest = hashlib.sha256(content).hexdigest()
            body = re.sub(
                r'("%s":\{"sha256":")[0-9a-f]{64}(","size":)\d+' % name,
                lambda found: found[1] + digest + found[2] + str(len(content)),
                body,
            )
        manifest.write_text('{"manifest":' + body + ',"sha256":"' + hashlib.sha256(body.encode()).hexdigest() + '"}\n')


def poisoned_cache(scene, attackers):
    """The attacker's cache, in which the good program's entry has the bad program's code."""
    value_as(scene, ATTACKER, "good", attackers / "cache")
    value_as(scene, ATTACKER, "bad", attackers / "evil")
    forged(attackers / "cache", attackers / "evil")
    for path in [attackers / "cache", *(attackers / "cache").rglob("*")]:
        path.chmod(0o755 if path.is_dir() else 0o644)
    return attackers / "cache"


def victims_cache(folder):
    """An empty cache of the victim's in `folder`."""
    cache = folder / "cache"
    cache.mkdir()
    owned(cache, VICTIM, 0o700)
    return cache


@attack("the poison itself: without it, the others prove nothing")
def _(scene):
    shared, attackers = two_users(scene)
    poison = poisoned_cache(scene, attackers)
    if value_as(scene, ATTACKER, "good", poison) != 666:
        raise AssertionError("an entry that cannot be forged; mend tests/attacks/folders.py")
    return False


@attack("the folder above the cache is everyone's, and the cache is replaced")
def _(scene):
    shared, attackers = two_users(scene)
    poison = poisoned_cache(scene, attackers)
    cache = victims_cache(shared)
    value_as(scene, VICTIM, "bad", cache)
    scene.as_user(ATTACKER, f"mv {cache} {shared}/away; cp -r {poison} {cache}")
    return value_as(scene, VICTIM, "good", cache) == 666


def subfolder_attack(mode, what):
    """A folder or files within the victim's cache that others may write to."""

    def run(scene):
        _, attackers = two_users(scene)
        poison = poisoned_cache(scene, attackers)
        cache = scene.folder / "victims" / "cache"
        cache.mkdir(parents=True)
        owned(cache.parent, VICTIM, 0o755)
        owned(cache, VICTIM, 0o755)
        value_as(scene, VICTIM, "good", cache)
        for path in [cache / "v1", *(cache / "v1").rglob("*")]:
            if what == "all" or (what == "files") == path.is_file() or path.name == "v1":
                path.chmod(mode if path.is_dir() else 0o666)
            else:
                path.chmod(0o755 if path.is_dir() else 0o644)
        scene.as_user(
            ATTACKER,
            f"cd {cache}/v1 && for e in */*/*; do if cd $e 2>/dev/null; then for f in artifact launcher manifest.json; do "
            f"cat {poison}/v1/$e/$f > $f 2>/dev/null; done; cd {cache}/v1; fi; done; "
            f"for s in *; do mv $s gone-$s 2>/dev/null && cp -r {poison}/v1/$s .; done",
        )
        return value_as(scene, VICTIM, "good", cache) == 666

    return run


attack("folders of the cache are everyone's, and entries are replaced")(subfolder_attack(0o777, "folders"))
attack("files of the cache are everyone's, and are written over")(subfolder_attack(0o755, "files"))
attack("all of the cache is everyone's but its top")(subfolder_attack(0o777, "all"))


@attack("the cache is a link to the attacker's")
def _(scene):
    shared, attackers = two_users(scene)
    poison = poisoned_cache(scene, attackers)
    scene.as_user(ATTACKER, f"ln -s {poison} {shared}/cache")
    return value_as(scene, VICTIM, "good", shared / "cache") == 666


@attack("the cache is the attacker's")
def _(scene):
    _, attackers = two_users(scene)
    return value_as(scene, VICTIM, "good", poisoned_cache(scene, attackers)) == 666


@attack("a second cache, to be read only, is the attacker's")
def _(scene):
    _, attackers = two_users(scene)
    poison = poisoned_cache(scene, attackers)
    return value_as(scene, VICTIM, "good", "/nonexistent", KMUX_CACHE_RO=str(poison)) == 666


@attack("the cache is exchanged again and again while it is used")
def _(scene):
    shared, attackers = two_users(scene)
    poison = poisoned_cache(scene, attackers)
    cache = victims_cache(shared)
    with repeating(exchange_of(cache, poison)):
        return any(value_as(scene, VICTIM, "good", cache) == 666 for _ in range(6))


def own_plugins(scene):
    return pathlib.Path(scene.kmux).resolve().parent.parent / "lib/kmux/plugins"


def evil_plugin(scene):
    """A folder with the plugin of the processor whose library leaves the mark, as the attacker would make it."""
    scene.write("evil/evil.c", EVIL % scene.mark)
    folder = scene.folder / "attackers" / "plugins"
    folder.mkdir()
    manifest = (own_plugins(scene) / "kmux_cpu.plugin.json").read_text()
    build_id = re.search(r'"build_id" *: *"([0-9a-f]+)"', manifest)
    subprocess.run(
        ["gcc", "-shared", "-fPIC", f"-Wl,--build-id=0x{build_id[1]}", "-o", folder / "kmux_cpu.so", scene.folder / "evil/evil.c"],
        check=True,
    )
    (folder / "stranger.plugin.json").write_text(re.sub(r'"name" *: *"cpu"', '"name": "stranger"', manifest))
    for path in [folder, *folder.iterdir()]:
        owned(path, ATTACKER, 0o755 if path.is_dir() else 0o644)
    return folder


def plugin_attack(place):
    """`place` puts the evil plugin where the victim looks for plugins, and returns where that is."""

    def run(scene):
        shared, attackers = two_users(scene)
        if shutil.which("gcc") is None:
            raise Missing("gcc")
        folder = place(scene, shared, evil_plugin(scene))
        scene.run("plugins", "--verbose", user=VICTIM, KMUX_PLUGIN_PATH=str(folder))
        scene.run("devices", user=VICTIM, KMUX_PLUGIN_PATH=str(folder))
        return scene.is_marked()

    return run


def below_everyones(scene, shared, plugins):
    shutil.copytree(plugins, shared / "plugins")
    for path in [shared / "plugins", *(shared / "plugins").iterdir()]:
        owned(path, VICTIM, 0o755 if path.is_dir() else 0o644)
    return shared / "plugins"


def everyones(scene, shared, plugins):
    folder = below_everyones(scene, shared, plugins)
    folder.chmod(0o777)
    return folder


def everyones_library(scene, shared, plugins):
    folder = scene.folder / "mine"
    shutil.copytree(plugins, folder)
    for path in [folder, *folder.iterdir()]:
        owned(path, VICTIM, 0o755)
    (folder / "kmux_cpu.so").chmod(0o777)
    return folder


def linked(scene, shared, plugins):
    (shared / "plugins").symlink_to(plugins)
    return shared / "plugins"


def relative(scene, shared, plugins):
    return os.path.relpath(plugins, scene.folder)


@attack("the plugin itself: without it, the others prove nothing")
def _(scene):
    two_users(scene)
    folder = evil_plugin(scene)
    scene.run("plugins", user=ATTACKER, KMUX_PLUGIN_PATH=str(folder))
    scene.run("compile", scene.folder / "good/p.kmux", "--backend", "stranger", user=ATTACKER, KMUX_PLUGIN_PATH=str(folder))
    if not scene.is_marked():
        raise AssertionError("a plugin that runs nothing; mend tests/attacks/folders.py")
    return False


attack("plugins of the attacker")(plugin_attack(lambda scene, shared, plugins: plugins))
attack("plugins below a folder of everyone")(plugin_attack(below_everyones))
attack("plugins in a folder of everyone")(plugin_attack(everyones))
attack("a plugin's library that everyone may write to")(plugin_attack(everyones_library))
attack("plugins by a link to the attacker's")(plugin_attack(linked))
attack("plugins by a relative path")(plugin_attack(relative))


@attack("plugins are exchanged while they are opened")
def _(scene):
    shared, _ = two_users(scene)
    if shutil.which("gcc") is None:
        raise Missing("gcc")
    evil = evil_plugin(scene)
    plugins = shared / "plugins"
    shutil.copytree(own_plugins(scene), plugins)
    for path in [plugins, *plugins.rglob("*")]:
        owned(path, VICTIM, 0o755)
    with repeating(exchange_of(plugins, evil)):
        for _ in range(10):
            scene.run("devices", user=VICTIM, KMUX_PLUGIN_PATH=str(plugins))
            time.sleep(0.02)
        return scene.is_marked()


@attack("temporary files in a folder of everyone's that is not sticky")
def _(scene):
    shared, _ = two_users(scene)
    with repeating(f"for d in {shared}/kmux-*; do mv $d $d-away && mkdir -m 777 $d; done"):
        result = scene.run(
            "compile", scene.folder / "good/p.kmux", "--backend", "cpu", "--no-cache", user=VICTIM,
            KMUX_OPTION_CPU_ENGINE="host", TMPDIR=str(shared),
        )
        return result.returncode == 0 or b"is refused" not in result.stderr


@attack("a lock file of the attacker's")
def _(scene):
    _, attackers = two_users(scene)
    lock = attackers / "winners.lock"
    lock.write_text('{"version": 1, "pins": []}\n')
    owned(lock, ATTACKER, 0o644)
    result = scene.run("resolve", scene.folder / "good/p.kmux", "--policy", "pinned", "--lock-file", lock, user=VICTIM)
    return b"belongs to user" not in result.stderr


@attack("a key of the remote cache that others may read")
def _(scene):
    two_users(scene)
    key = scene.write("key", "k" * 32, 0o644)
    result = scene.run("cache", "stats", user=None, KMUX_REMOTE_CACHE="redis://127.0.0.1:1/0", KMUX_REMOTE_CACHE_KEY_FILE=str(key))
    return b"authenticated" in result.stdout + result.stderr and b"chmod" not in result.stdout + result.stderr
