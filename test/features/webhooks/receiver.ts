import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

/** A received request: the raw body and the headers. */
export interface Received {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** The response of an endpoint to its n-th request (0 first). */
export type Answer = (request: Received, index: number) => Response | Promise<Response>

/** An endpoint of webhooks: a real server on the loopback interface that stores its requests. */
export interface Receiver {
  readonly url: string
  readonly received: ReadonlyArray<Received>
  /** Waits until `count` requests have arrived, and returns them all. */
  readonly arrived: (count: number) => Effect.Effect<ReadonlyArray<Received>>
  readonly answerWith: (answer: Answer) => void
  /** The highest number of concurrent requests. */
  readonly mostAtOnce: () => number
}

const accept: Answer = () => new Response(null, { status: 204 })

/** Starts an endpoint that lives as long as the scope. */
export const receiver = (first: Answer = accept) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      let answer = first
      let open = 0
      let most = 0
      const received: Array<Received> = []
      const waiting = new Set<() => void>()
      const server = Bun.serve({
        hostname: "127.0.0.1",
        port: 0,
        idleTimeout: 120,
        async fetch(request) {
          most = Math.max(most, ++open)
          const url = new URL(request.url)
          const body = await request.text()
          const headers = Object.fromEntries(request.headers)
          received.push({ body, headers, method: request.method, path: `${url.pathname}${url.search}` })
          const index = received.length - 1
          for (const ring of [...waiting]) ring()
          try {
            return await answer({ body, headers, method: request.method, path: url.pathname }, index)
          } finally {
            open--
          }
        }
      })
      const arrived = (count: number) =>
        Effect.async<ReadonlyArray<Received>>((resume) => {
          const check = () => {
            if (received.length < count) return
            waiting.delete(check)
            resume(Effect.succeed(received))
          }
          waiting.add(check)
          check()
          return Effect.sync(() => waiting.delete(check))
        }).pipe(
          Effect.timeoutOption("50 seconds"),
          Effect.flatMap(
            Option.match({
              onNone: () => Effect.dieMessage(`${received.length} of ${count} requests came`),
              onSome: Effect.succeed
            })
          )
        )
      return {
        server,
        receiver: {
          answerWith: (next: Answer) => {
            answer = next
          },
          arrived,
          mostAtOnce: () => most,
          received,
          url: `http://127.0.0.1:${server.port}/hooks`
        } satisfies Receiver
      }
    }),
    ({ server }) => Effect.promise(() => server.stop(true))
  ).pipe(Effect.map(({ receiver }) => receiver))
