/** Platform adapter (`node:child_process`, `node:fs`, `node:stream`, `process`): starts the browsers of rendering and of audits, and ends them. */
import { spawn } from "node:child_process"
import { chownSync } from "node:fs"
import { Readable, Writable } from "node:stream"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { inherited, yieldAsWeDo } from "../process/Child.ts"

/** The browser did not start, or did not answer; the message has its last complaint, and the remedy where there is one. */
export class BrowserFailed extends Data.TaggedError("BrowserFailed")<{
  readonly code: "no_sandbox" | "no_shared_memory" | "not_started"
  readonly message: string
}> {}

export const notStarted = (message: string) => new BrowserFailed({ code: "not_started", message })

/**
 * How pages are kept from the machine: `user`: by the sandbox, as the user of this process; `dropped`: by the sandbox, as an unprivileged user in place of
 * root; `none`: without a sandbox.
 */
export type Sandbox = "user" | "dropped" | "none"

export const isRoot = (): boolean => process.getuid?.() === 0

/** The user without any files (`nobody`), on all systems that have such a user. */
const nobody = 65_534

/** Why a browser did not start, by its complaints: the lack of the machine with its remedy, else the last line. */
const failureOf = (complaints: string): BrowserFailed => {
  if (/No usable sandbox|Failed to move to new namespace|clone\(\) failed/i.test(complaints))
    return new BrowserFailed({
      code: "no_sandbox",
      message:
        "The browser has no sandbox here: allow user namespaces (Docker: a seccomp profile with clone and unshare; Debian: sysctl kernel.unprivileged_userns_clone=1), or set FINDABLE_RENDER=unsandboxed."
    })
  if (/\/dev\/shm|shared memory/i.test(complaints))
    return new BrowserFailed({
      code: "no_shared_memory",
      message: "The browser has no shared memory: mount /dev/shm (Docker: --shm-size=256m)."
    })
  const last = complaints
    .trim()
    .split("\n")
    .at(-1)
    ?.replace(/^\[[^\]]*\]\s*/, "")
    .slice(0, 300)
  return notStarted(
    last === undefined || last === "" ? "The browser did not start." : `The browser did not start: ${last}`
  )
}

interface Program {
  readonly program: string
  readonly flags: ReadonlyArray<string>
  /** The folder of this browser alone: profile, home and temporary files. */
  readonly profile: string
  readonly sandbox: Sandbox
  /** Whether the browser leads a process group. Otherwise it belongs to the group of this process, which one signal ends. */
  readonly isLeader: boolean
}

interface Running {
  readonly pid: number
  /** The pipes of the DevTools protocol, for a browser with `--remote-debugging-pipe`. */
  readonly input: Writable
  readonly output: Readable
  /** The failure that the complaints of the browser show. */
  readonly failure: Effect.Effect<BrowserFailed>
  /** Waits for the end of the browser. */
  readonly ended: Effect.Effect<void>
  readonly kill: Effect.Effect<void>
}

/** Starts a browser with an environment that has no settings of this process. The end of the scope kills it with its processes. */
export const start = Effect.fnUntraced(function* ({ flags, isLeader, profile, program, sandbox }: Program) {
  if (sandbox === "dropped") yield* Effect.ignore(Effect.try(() => chownSync(profile, nobody, nobody)))
  const environment = {
    ...(yield* inherited(["FONTCONFIG_PATH"])),
    HOME: profile,
    TMPDIR: profile,
    LANG: "en_US.UTF-8",
    TZ: "UTC"
  }
  const running = Effect.async<Running, BrowserFailed>((resume) => {
    const child = spawn(program, [...flags], {
      detached: isLeader,
      env: environment,
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
    child.once("error", (error) => resume(notStarted(`The browser did not start: ${error.message}`)))
    const { pid } = child
    const [, , , input, output] = child.stdio
    if (pid === undefined || !(input instanceof Writable) || !(output instanceof Readable)) return
    if (isLeader) yieldAsWeDo(pid)
    const kill = Effect.ignore(Effect.try(() => process.kill(isLeader ? -pid : pid, "SIGKILL")))
    const failure = Effect.sync(() => failureOf(complaints))
    resume(Effect.succeed({ ended, failure, input, kill, output, pid }))
  })
  return yield* Effect.acquireRelease(running, ({ ended, kill }) =>
    Effect.zipRight(kill, Effect.timeoutOption(Effect.interruptible(ended), "5 seconds"))
  )
})
