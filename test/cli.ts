import { resolve } from "node:path"
import * as Effect from "effect/Effect"
import { program } from "./programs.ts"

const root = resolve(import.meta.dir, "..")

/** This process's environment without our settings; children keep their priority beside busy processes. */
const clean = {
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(FINDABLE_|DATABASE_URL)/.test(name))),
  FINDABLE_CHILD_NICENESS: "0"
}

/** One of our programs as a separate process. */
export const spawn = (
  name: Parameters<typeof program>[0],
  environment: Record<string, string>,
  words: ReadonlyArray<string>
) =>
  Bun.spawn([process.execPath, program(name), ...words], {
    cwd: root,
    env: { ...clean, ...environment },
    stderr: "pipe",
    stdin: "ignore",
    stdout: "pipe"
  })

/** The output of a process and its exit code, at its end. */
export const ended = (child: ReturnType<typeof spawn>) =>
  Effect.promise(async () => {
    const [stdout, stderr, code] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
      child.exited
    ])
    return { code, stderr, stdout }
  })

/** Runs a command to its end; it is killed when the scope ends before. */
export const run = (environment: Record<string, string>, ...words: ReadonlyArray<string>) =>
  Effect.scoped(
    Effect.flatMap(
      Effect.acquireRelease(
        Effect.sync(() => spawn("cli", environment, words)),
        (child) => Effect.sync(() => child.kill("SIGKILL"))
      ),
      ended
    )
  )

/** Runs a command in a terminal, where stdout and stderr are one: the output with control sequences. */
export const runInTerminal = (environment: Record<string, string>, ...words: ReadonlyArray<string>) =>
  Effect.promise(async () => {
    const decoder = new TextDecoder()
    let shown = ""
    const child = Bun.spawn([process.execPath, program("cli"), ...words], {
      cwd: root,
      env: { ...clean, ...environment },
      terminal: {
        cols: 80,
        data: (_, bytes) => {
          shown += decoder.decode(bytes, { stream: true })
        },
        rows: 24
      }
    })
    const code = await child.exited
    child.terminal?.close()
    return { code, shown }
  })
