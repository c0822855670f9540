/** Keeps connections busy with one request each, over raw sockets, with minimal client costs. */

interface Outcome {
  readonly count: number
  /** How many of them had status 200. */
  readonly passed: number
  /** Milliseconds, sorted. */
  readonly times: ReadonlyArray<number>
}

const decoder = new TextDecoder("latin1")

/** Sends requests over `connections` for some seconds; every response must have one of the statuses. */
export const load = async (
  base: string,
  {
    connections,
    requests,
    seconds,
    statuses
  }: {
    readonly connections: number
    /** Makes the text of the next request. */
    readonly requests: () => string
    readonly seconds: number
    readonly statuses: ReadonlyArray<number>
  }
): Promise<Outcome> => {
  const { hostname, port } = new URL(base)
  const until = performance.now() + seconds * 1000
  const times: Array<number> = []
  let passed = 0
  const one = () =>
    new Promise<void>((resolve, reject) => {
      let began = 0
      let received = ""
      const ask = (socket: { write: (text: string) => number; end: () => void }) => {
        if (performance.now() >= until) {
          socket.end()
          return resolve()
        }
        received = ""
        began = performance.now()
        socket.write(requests())
      }
      Bun.connect({
        hostname,
        port: Number(port),
        socket: {
          open: ask,
          data: (socket, chunk) => {
            received += decoder.decode(chunk)
            const end = received.indexOf("\r\n\r\n")
            if (end === -1) return
            const length = /\r\ncontent-length: *(\d+)/i.exec(received.slice(0, end + 2))?.[1]
            if (length === undefined || received.length < end + 4 + Number(length)) return
            const status = Number(received.slice(9, 12))
            if (!statuses.includes(status)) return reject(new Error(`answered ${received.slice(0, 500)}`))
            times.push(performance.now() - began)
            if (status === 200) passed++
            ask(socket)
          },
          error: (_, error) => reject(error),
          close: () => resolve()
        }
      }).catch(reject)
    })
  await Promise.all(Array.from({ length: connections }, one))
  times.sort((a, b) => a - b)
  return { count: times.length, passed, times }
}
