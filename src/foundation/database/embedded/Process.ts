/** Platform adapter: runs a program to its end, as another user where asked (`node:child_process` alone can switch users). */
import { spawn } from "node:child_process"
import { userInfo } from "node:os"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Child from "../../process/Child.ts"

/** User and group of a process. */
export interface Owner {
  readonly name: string
  readonly uid: number
  readonly gid: number
}

export interface Outcome {
  readonly code: number
  readonly output: string
}

/** The numeric id of the user this process runs as; 0 is root, −1 where the platform has none. */
export const currentUid: Effect.Effect<number> = Effect.sync(() => userInfo().uid)

/** What PostgreSQL's programs find of our environment besides the system's places: languages, time zone, folders. `PG…` variables would change what they do. */
const inherited = [
  ...["HOME", "TZ", "TMPDIR", "TEMP", "TMP", "windir", "DYLD_LIBRARY_PATH", "DYLD_FALLBACK_LIBRARY_PATH"],
  ...["LANG", "LC_ALL", "LC_COLLATE", "LC_CTYPE", "LC_MESSAGES", "LC_MONETARY", "LC_NUMERIC", "LC_TIME"]
]

/**
 * Runs a program and waits for its end. Code 127 means that it could not be started. With `detached`, its output is not read, so that a daemon that it
 * leaves behind holds no pipe of ours.
 */
export const run = (
  program: string,
  args: ReadonlyArray<string>,
  options: { readonly owner: Owner | undefined; readonly detached?: boolean }
): Effect.Effect<Outcome> =>
  Effect.flatMap(Child.inherited(inherited), (environment) =>
    Effect.async<Outcome>((resume) => {
      const chunks: Array<string> = []
      const child = spawn(program, [...args], {
        ...(options.owner && { gid: options.owner.gid, uid: options.owner.uid }),
        cwd: "/",
        detached: options.detached ?? false,
        env: environment,
        stdio: options.detached ? "ignore" : ["ignore", "pipe", "pipe"]
      })
      child.stdout?.on("data", (chunk) => chunks.push(String(chunk)))
      child.stderr?.on("data", (chunk) => chunks.push(String(chunk)))
      child.on("error", (error) => resume(Effect.succeed({ code: 127, output: error.message })))
      child.on("close", (code) => resume(Effect.succeed({ code: code ?? 1, output: chunks.join("") })))
    })
  )

/** Whether a process lives, also one of another user, which this one may not signal. */
export const isAlive = (pid: number): Effect.Effect<boolean> =>
  Effect.try(() => process.kill(pid, 0)).pipe(
    Effect.as(true),
    Effect.catchAll(({ error }) => Effect.succeed(Predicate.hasProperty(error, "code") && error.code === "EPERM"))
  )

/** The embedded PostgreSQL cannot run here; `message` is one sentence that says what the operator can do. */
export class EmbeddedFailed extends Data.TaggedError("EmbeddedFailed")<{ readonly message: string }> {}
