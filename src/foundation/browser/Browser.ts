/** Platform adapter (`node:child_process`, `node:fs`, `process`): starts a browser without a port, driven over two pipes, in a process group of its own. */
import { spawn } from "node:child_process"
import { chownSync } from "node:fs"
import { Readable, Writable } from "node:stream"
import type * as FileSystem from "@effect/platform/FileSystem"
import type * as Path from "@effect/platform/Path"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Ref from "effect/Ref"
import type * as Scope from "effect/Scope"
import { PipeTransport } from "puppeteer-core/internal/node/PipeTransport.js"
import { inherited, yieldAsWeDo } from "../process/Child.ts"
import { connect, type Session } from "./Cdp.ts"
import { type BrowserMissing, findBrowser } from "./Find.ts"
import { renderFlags } from "./Flags.ts"
import { clearFolders, temporaryFolder } from "./Folders.ts"
import { type Bounds, type Excess, watch } from "./Memory.ts"
import { refusingPort } from "./Socks.ts"

/** A browser that did not start, or did not answer; the message has its last complaint and the remedy, where there is one. */
export class BrowserFailed extends Data.TaggedError("BrowserFailed")<{ readonly message: string }> {}

/** How pages are kept from the machine: `user`: by the sandbox, as who we are; `dropped`: by it, as an unprivileged user, since we are root; `none`: not. */
export type Sandbox = "user" | "dropped" | "none"

/** A running browser without any network. */
export interface Browser {
  readonly session: Session
  /** Name and version, such as `HeadlessChrome/156.0.8078.108`. */
  readonly product: string
  readonly pid: number
  readonly sandbox: Sandbox
  /** `host:port` of all that it asked the network for beside its pipes; each was refused. */
  readonly escapes: Effect.Effect<ReadonlyArray<string>>
  /** What had more than its bound and was killed, in order. */
  readonly excesses: Effect.Effect<ReadonlyArray<Excess>>
  /** Waits until it has ended. */
  readonly ended: Effect.Effect<void>
}

/** Memory that a browser for rendering may take, in bytes: one of its processes, and all of them. */
export const usualBounds: Bounds = { each: 512 * 1_048_576, all: 1_536 * 1_048_576 }

interface Options {
  readonly bounds: Bounds
  /** True: it runs without a sandbox, as who we are. */
  readonly unsandboxed: boolean
}

const startUp = "30 seconds"

/** Who owns nothing (`nobody`), on all systems that have such a user. */
const nobody = 65_534

/** The folder of one browser: profile, home and temporary files. */
const folder = temporaryFolder("browser").pipe(
  Effect.mapError(() => new BrowserFailed({ message: "No temporary folder could be made for the browser." }))
)

const sandboxOf = (unsandboxed: boolean): Sandbox => {
  if (unsandboxed) return "none"
  return process.getuid?.() === 0 ? "dropped" : "user"
}

/** What the browser complained of last, and the remedy for what machines are known to lack. */
const complaintOf = (text: string): string => {
  if (/No usable sandbox|Failed to move to new namespace|clone\(\) failed/i.test(text))
    return "The browser has no sandbox here: allow user namespaces (Docker: a seccomp profile with clone and unshare; Debian: sysctl kernel.unprivileged_userns_clone=1), or set FINDABLE_RENDER=unsandboxed."
  if (/\/dev\/shm|shared memory/i.test(text))
    return "The browser has no shared memory: mount /dev/shm (Docker: --shm-size=256m)."
  const last = text
    .trim()
    .split("\n")
    .at(-1)
    ?.replace(/^\[[^\]]*\]\s*/, "")
    .slice(0, 300)
  return last === undefined || last === "" ? "The browser did not start." : `The browser did not start: ${last}`
}

/** Of one message of the browser, in bytes. Pages can make it send what they like, and a message is whole in our memory. */
const longestMessage = 16 * 1_048_576

/** Calls back once, when the bytes since the last end of a message (a zero) are more than a message may have. */
const onLongMessage = (output: Readable, callBack: () => void): void => {
  let length = 0
  const count = (bytes: Uint8Array) => {
    const end = bytes.lastIndexOf(0)
    length = end === -1 ? length + bytes.length : bytes.length - end - 1
    if (length <= longestMessage) return
    output.off("data", count)
    callBack()
  }
  output.on("data", count)
}

interface Running {
  readonly pid: number
  readonly input: Writable
  readonly output: Readable
  readonly complaint: Effect.Effect<string>
  readonly ended: Effect.Effect<void>
}

const killGroup = (pid: number) => Effect.ignore(Effect.try(() => process.kill(-pid, "SIGKILL")))

/** Starts the program; when the scope ends, it and all that it started are killed. It ends by itself when its pipes do, that is, when we are gone. */
const run = Effect.fnUntraced(function* (
  program: string,
  flags: ReadonlyArray<string>,
  environment: Readonly<Record<string, string>>,
  sandbox: Sandbox
) {
  const start = Effect.async<Running, BrowserFailed>((resume) => {
    const child = spawn(program, [...flags], {
      detached: true,
      env: { ...environment },
      stdio: ["ignore", "ignore", "pipe", "pipe", "pipe"],
      ...(sandbox === "dropped" ? { gid: nobody, uid: nobody } : {})
    })
    let complaints = ""
    child.stderr?.on("data", (bytes) => {
      complaints = (complaints + String(bytes)).slice(-4_096)
    })
    const ended = Effect.async<void>((over) => {
      const done = () => over(Effect.void)
      if (child.exitCode !== null || child.signalCode !== null) return done()
      child.once("exit", done)
      return Effect.sync(() => child.off("exit", done))
    })
    child.once("error", (error) =>
      resume(new BrowserFailed({ message: `The browser did not start: ${error.message}` }))
    )
    const [, , , input, output] = child.stdio
    if (child.pid === undefined || !(input instanceof Writable) || !(output instanceof Readable)) return
    yieldAsWeDo(child.pid)
    const complaint = Effect.sync(() => complaintOf(complaints))
    resume(Effect.succeed({ complaint, ended, input, output, pid: child.pid }))
  })
  return yield* Effect.acquireRelease(start, ({ ended, pid }) =>
    Effect.zipRight(killGroup(pid), Effect.timeoutOption(Effect.interruptible(ended), "5 seconds"))
  )
})

/** Starts the browser for rendering, for as long as the scope lives. */
export const startBrowser = Effect.fn("Browser.start")(function* ({
  bounds,
  unsandboxed
}: Options): Effect.fn.Return<
  Browser,
  BrowserFailed | BrowserMissing,
  FileSystem.FileSystem | Path.Path | Scope.Scope
> {
  const program = yield* findBrowser("rendering")
  const sandbox = sandboxOf(unsandboxed)
  const proxy = yield* refusingPort.pipe(
    Effect.mapError(
      () => new BrowserFailed({ message: "The loopback interface of this machine cannot be listened on." })
    )
  )
  yield* clearFolders
  const profile = yield* folder
  if (sandbox === "dropped") yield* Effect.ignore(Effect.try(() => chownSync(profile, nobody, nobody)))
  const environment = {
    ...(yield* inherited(["FONTCONFIG_PATH"])),
    HOME: profile,
    TMPDIR: profile,
    LANG: "en_US.UTF-8",
    TZ: "UTC"
  }
  const flags = renderFlags({ profile, proxy: proxy.port, sandbox: sandbox !== "none" })
  const running = yield* run(program, flags, environment, sandbox)
  const excesses = yield* Ref.make<ReadonlyArray<Excess>>([])
  const exceed = (excess: Excess) => Ref.update(excesses, (all) => [...all, excess])
  const fork = yield* FiberSet.makeRuntime<never>()
  const kill = killGroup(running.pid)
  onLongMessage(running.output, () => fork(Effect.zipRight(exceed("message"), kill)))
  const session = yield* connect(new PipeTransport(running.input, running.output, () => undefined))
  const fail = Effect.flatMap(running.complaint, (message) => new BrowserFailed({ message }))
  const version = yield* session.send("Browser.getVersion").pipe(
    Effect.catchAll(() => fail),
    Effect.raceFirst(Effect.zipRight(running.ended, fail)),
    Effect.timeoutFail({
      duration: startUp,
      onTimeout: () => new BrowserFailed({ message: "The browser did not answer." })
    })
  )
  // Windows that pages open are told of, so that they can be closed.
  yield* session
    .send("Target.setDiscoverTargets", { discover: true, filter: [{ type: "page" }] })
    .pipe(Effect.catchAll(() => fail))
  yield* watch(running.pid, bounds, exceed)
  return {
    ended: Effect.raceFirst(running.ended, session.ended),
    escapes: proxy.asked,
    excesses: Ref.get(excesses),
    pid: running.pid,
    product: version.product,
    sandbox,
    session
  }
})
