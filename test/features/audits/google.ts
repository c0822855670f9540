import * as Effect from "effect/Effect"

/** The response of PageSpeed Insights, or "silence" forever. */
export type Answer = { readonly status: number; readonly body: unknown } | "silence"

/** A stand-in for PageSpeed Insights: a real server on the loopback interface that records requests and responds as configured. */
export const google = (first: Answer) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      let answer = first
      const asked: Array<URL> = []
      const waiting: Array<(response: Response) => void> = []
      const respond = (given: Exclude<Answer, "silence">) => Response.json(given.body, { status: given.status })
      const server = Bun.serve({
        hostname: "127.0.0.1",
        port: 0,
        idleTimeout: 120,
        fetch: ({ url }) => {
          asked.push(new URL(url))
          return answer === "silence" ? new Promise<Response>((resolve) => waiting.push(resolve)) : respond(answer)
        }
      })
      /** Changes the response, also for waiting requests. */
      const answerWith = (next: Exclude<Answer, "silence">) => {
        answer = next
        for (const resolve of waiting.splice(0)) resolve(respond(next))
      }
      return { answerWith, asked, server, url: `http://127.0.0.1:${server.port}/psi` }
    }),
    ({ server }) => Effect.promise(() => server.stop(true))
  )
