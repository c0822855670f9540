import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { spawn } from "../cli.ts"
import * as proxied from "../proxy.ts"
import type { Reply } from "../server.ts"

/** One of our servers as a separate process. */
export interface Node {
  readonly base: string
  readonly key: string | undefined
  readonly kill: (signal: "SIGTERM" | "SIGKILL" | "SIGINT") => void
  readonly exited: Effect.Effect<number>
  readonly output: () => string
}

export class NodeDied extends Data.TaggedError("NodeDied")<{ readonly code: number; readonly output: string }> {}

const collect = async (stream: ReadableStream<Uint8Array>, seen: (text: string) => void) => {
  const decoder = new TextDecoder()
  for await (const chunk of stream) seen(decoder.decode(chunk, { stream: true }))
}

/** Starts a server and waits for its message that it is ready; it is killed with the scope at the latest. */
const begin = (environment: Record<string, string>, ready: RegExp) =>
  Effect.acquireRelease(
    Effect.sync(() => spawn("main", { FINDABLE_HOST: "127.0.0.1", FINDABLE_PORT: "0", ...environment }, [])),
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

/** A server that answers requests. The welcome is one write that ends with a blank line. */
export const start = (environment: Record<string, string>) =>
  begin(environment, /runs at (http:\S+)\nDocumentation: \S+\n(?:[\s\S]*\n)?$/)

/** A server that only runs workers. */
export const startWorker = (environment: Record<string, string>) =>
  begin({ ...environment, FINDABLE_ROLE: "worker" }, /Findable worker runs/)

/** One request, with its response. */
export const ask = (url: string, init?: RequestInit): Effect.Effect<Reply> =>
  Effect.promise(async () => {
    const response = await proxied.ask(new URL(url), init)
    return { body: await response.json(), headers: response.headers, status: response.status }
  })
