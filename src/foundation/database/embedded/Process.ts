/** Platform adapter: runs a program to its end, as another user where asked (`node:child_process` alone can switch users). */
import { spawn } from "node:child_process"
import { userInfo } from "node:os"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"

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

/** The variables that PostgreSQL's programs inherit. No others: our environment holds the master key, and `PG…` variables would change their behaviour. */
const handedOn = /^(?:PATH|HOME|LANG|LC_\w+|TZ|TMPDIR|LD_LIBRARY_PATH|DYLD_\w+|SystemRoot|windir|TEMP|TMP)$/i

const environment = () => Object.fromEntries(Object.entries(process.env).filter(([name]) => handedOn.test(name)))

/**
 * Runs a program and waits for its end. Code 127 means that it could not be started. With `detached`, its output is not read, so that a daemon that it
 * leaves behind holds no pipe of ours.
 */
export const run = (
  program: string,
  args: ReadonlyArray<string>,
  options: { readonly owner: Owner | undefined; readonly detached?: boolean; readonly cwd?: string }
): Effect.Effect<Outcome> =>
  Effect.async<Outcome>((resume) => {
    const chunks: Array<string> = []
    const child = spawn(program, [...args], {
      ...(options.owner && { gid: options.owner.gid, uid: options.owner.uid }),
      cwd: options.cwd ?? "/",
      detached: options.detached ?? false,
      env: environment(),
      stdio: options.detached ? "ignore" : ["ignore", "pipe", "pipe"]
    })
    child.stdout?.on("data", (chunk) => chunks.push(String(chunk)))
    child.stderr?.on("data", (chunk) => chunks.push(String(chunk)))
    child.on("error", (error) => resume(Effect.succeed({ code: 127, output: error.message })))
    child.on("close", (code) => resume(Effect.succeed({ code: code ?? 1, output: chunks.join("") })))
  })

/** The embedded PostgreSQL cannot run here; `message` is one sentence that says what the operator can do. */
export class EmbeddedFailed extends Data.TaggedError("EmbeddedFailed")<{ readonly message: string }> {}
