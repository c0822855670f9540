// Fastify on Node.
import fastify from "fastify"
import { paths, respond } from "../bench/http/plain.mjs"

const app = fastify()
for (const path of paths) {
  app.get(path, async (request, reply) => {
    const [status, body] = await respond(path, request.headers["x-api-key"] ?? "")
    return reply.code(status).type("application/json").send(body)
  })
}
const base = await app.listen({ host: "127.0.0.1", port: 0 })
console.log(`answers on ${base} (fastify)`)
