import { resolve } from "node:path"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type { Reply } from "../server.ts"

/** A node of ours as a process of its own. */
export interface Node {
  readonly base: string
  readonly key: string | undefined
  readonly kill: (signal: "SIGTERM" | "SIGKILL" | "SIGINT") => void
  readonly exited: Effect.Effect<number>
  readonly output: () => string
}

export class NodeDied extends Data.TaggedError("NodeDied")<{ readonly code: number; readonly output: string }> {}

const root = resolve(import.meta.dir, "../..")

const clean = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(FINDABLE_|DATABASE_URL)/.test(name))
)

const spawn = (environment: Record<string, string>, program: string, args: ReadonlyArray<string>) =>
  Bun.spawn([process.execPath, resolve(root, program), ...args], {
    env: { ...clean, FINDABLE_HOST: "127.0.0.1", FINDABLE_PORT: "0", ...environment },
    stderr: "pipe",
    stdin: "ignore",
    stdout: "pipe"
  })

const collect = async (stream: ReadableStream<Uint8Array>, seen: (text: string) => void) => {
  const decoder = new TextDecoder()
  for await (const chunk of stream) seen(decoder.decode(chunk, { stream: true }))
}

/** Starts a node and waits for what it says when it is ready; it is killed with the scope at the latest. */
const begin = (environment: Record<string, string>, ready: RegExp) =>
  Effect.acquireRelease(
    Effect.sync(() => spawn(environment, "src/main.ts", [])),
    (child) => Effect.sync(() => child.kill("SIGKILL"))
  ).pipe(
    Effect.flatMap((child) =>
      Effect.async<Node, NodeDied>((resume) => {
        let output = ""
        const seen = (text: string) => {
          output += text
          const said = ready.exec(output)
          if (said === null) return
          resume(
            Effect.succeed({
              base: said[1] ?? "",
              exited: Effect.promise(() => child.exited),
              key: /fnd_live_[\w-]{32}/.exec(output)?.[0],
              kill: (signal) => child.kill(signal),
              output: () => output
            })
          )
        }
        collect(child.stdout, seen)
        collect(child.stderr, seen)
        child.exited.then((code) => resume(Effect.fail(new NodeDied({ code, output }))))
      })
    )
  )

/** A node that answers requests. The welcome is one write that ends with a blank line. */
export const start = (environment: Record<string, string>) =>
  begin(environment, /answers on (http:\S+)[\s\S]*\)\n(?:[\s\S]*\n)?$/)

/** A node that only works. */
export const startWorker = (environment: Record<string, string>) =>
  begin({ ...environment, FINDABLE_ROLE: "worker" }, /Findable works/)

/** Runs an operator command to its end. */
export const command = (environment: Record<string, string>, args: ReadonlyArray<string>) =>
  Effect.promise(async () => {
    const child = spawn(environment, "src/cli.ts", args)
    const [stdout, stderr, code] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
      child.exited
    ])
    return { code, stderr, stdout }
  })

/** One request, with what came back. */
export const ask = (url: string, init: RequestInit = {}): Effect.Effect<Reply> =>
  Effect.promise(async () => {
    const response = await fetch(url, init)
    return { body: await response.json(), headers: response.headers, status: response.status }
  })
