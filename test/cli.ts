import { resolve } from "node:path"
import * as Effect from "effect/Effect"

const root = resolve(import.meta.dir, "..")

/** This process's environment without settings of ours. */
const clean = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(FINDABLE_|DATABASE_URL)/.test(name))
)

/** A program of ours as a process of its own. */
export const spawn = (program: string, environment: Record<string, string>, words: ReadonlyArray<string>) =>
  Bun.spawn([process.execPath, resolve(root, program), ...words], {
    cwd: root,
    env: { ...clean, ...environment },
    stderr: "pipe",
    stdin: "ignore",
    stdout: "pipe"
  })

/** What a process has printed and its exit code, at its end. */
export const ended = (child: ReturnType<typeof spawn>) =>
  Effect.promise(async () => {
    const [stdout, stderr, code] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
      child.exited
    ])
    return { code, stderr, stdout }
  })

/** Runs an operator command to its end; it is killed when the scope ends before. */
export const run = (environment: Record<string, string>, ...words: ReadonlyArray<string>) =>
  Effect.scoped(
    Effect.flatMap(
      Effect.acquireRelease(
        Effect.sync(() => spawn("src/cli.ts", environment, words)),
        (child) => Effect.sync(() => child.kill("SIGKILL"))
      ),
      ended
    )
  )
