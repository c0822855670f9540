import * as Effect from "effect/Effect"

/** Writes bytes to a port and returns everything received until the other end closes, or is silent for a number of milliseconds. */
export const raw = (port: number, bytes: string, silence = 1_000) =>
  Effect.async<string>((resume) => {
    const heard: Array<string> = []
    const decoder = new TextDecoder()
    const done = () => resume(Effect.succeed(heard.join("")))
    let timer = setTimeout(done, silence)
    Bun.connect({
      hostname: "127.0.0.1",
      port,
      socket: {
        close: done,
        data: (socket, chunk) => {
          heard.push(decoder.decode(chunk, { stream: true }))
          clearTimeout(timer)
          timer = setTimeout(() => {
            socket.end()
            done()
          }, silence)
        },
        error: done,
        open: (socket) => {
          socket.write(bytes)
        }
      }
    })
  })
