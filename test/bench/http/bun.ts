// Hand-written on Bun's own server.
import { paths, respond } from "./plain.mjs"

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  fetch: async (request) => {
    const path = new URL(request.url).pathname
    if (!paths.includes(path)) return new Response("{}", { status: 404 })
    const [status, body] = await respond(path, request.headers.get("x-api-key") ?? "")
    return new Response(body, { headers: { "content-type": "application/json" }, status })
  }
})
console.log(`answers on ${server.url.origin} (bun)`)
