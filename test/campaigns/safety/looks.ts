import { insider } from "../attackers.ts"
import { installation } from "../fairness/installation.ts"
import { node, until } from "../node.ts"
import type { SafetyCase } from "../safety.ts"

const names = 300
const pause = 1
const seconds = 20

/** One account gives one server many names, and then checks which of its ports are open. */
export const looks: SafetyCase = async () => {
  const ground = await installation({ scale: 1, seconds })
  const times: Array<number> = []
  const server = Bun.serve({
    fetch: ({ url }) => {
      times.push(performance.now())
      return url.endsWith("/robots.txt")
        ? new Response("", { status: 404 })
        : new Response("<p>text</p>", { headers: { "content-type": "text/html" } })
    },
    hostname: "127.0.0.1",
    port: 0
  })
  const shell = Bun.listen({
    hostname: "127.0.0.2",
    port: 0,
    socket: { data: (socket) => void socket.end("SSH-2.0-OpenSSH_9.9\r\n") }
  })
  const silent = Bun.listen({ hostname: "127.0.0.3", port: 0, socket: { data: () => {} } })
  try {
    const serving = await node({ DATABASE_URL: ground.database.url(), FINDABLE_BACKLINK_PAUSE: `${pause} seconds` })
    const linked = async (rows: ReadonlyArray<string>) => {
      const { key } = await insider(ground.database)
      const made = await serving.ask("POST", "/api/v1/projects", { body: { url: "http://shop.example" }, key })
      const path = `/api/v1/projects/${made.body.data.id}/backlinks`
      await fetch(`${serving.base}${path}/imports`, {
        body: ["url", ...rows].join("\n"),
        headers: { authorization: `Bearer ${key}` },
        method: "POST"
      })
      return async () => (await serving.ask("GET", `${path}?limit=100`, { key })).body.data
    }
    const rows = Array.from({ length: names }, (_, at) => `http://n${at}.localhost:${server.port}/page`)
    await linked(rows)
    await until(() => times.length > 0, 60)
    const began = times[0] ?? 0
    await Bun.sleep(seconds * 1000)
    const asked = times.filter((at) => at <= began + seconds * 1000)
    const busiest = Math.max(...asked.map((from) => asked.filter((at) => at >= from && at < from + 1000).length))

    const probes = [
      `http://127.0.0.2:${shell.port}/`,
      `http://127.0.0.3:${silent.port}/`,
      "http://127.0.0.4:2/",
      "http://127.0.0.4:22/"
    ]
    const links = await linked(probes)
    const findings = async () =>
      (await links()).map((link: Record<string, unknown>) => `${link.state} ${link.reason} ${link.http_status}`)
    await until(
      async () => (await findings()).filter((found: string) => !found.includes("not_checked")).length === probes.length,
      120,
      500
    )
    const told = [...new Set(await findings())]
    const { key } = await insider(ground.database)
    const refused = await serving.ask("POST", "/api/v1/projects", { body: { url: "http://shop.example:22" }, key })
    await serving.end("SIGTERM")
    return [
      {
        found: `${asked.length} in ${seconds} s, ${busiest} in the busiest second`,
        holds: asked.length <= seconds / pause + 2 && busiest <= 2,
        law: `one server under ${names} names gets a request each ${pause} s`
      },
      {
        found: told.join(", "),
        holds: told.length === 1 && told[0] === "unknown no_answer null",
        law: "looks at open, silent, closed and refused ports read alike"
      },
      {
        found: `${refused.status} ${JSON.stringify(refused.body.error?.details)}`,
        holds: refused.status === 422 && JSON.stringify(refused.body).includes("port 22"),
        law: "an address with a port of another protocol is refused, and the port is named"
      }
    ]
  } finally {
    server.stop(true)
    shell.stop(true)
    silent.stop(true)
    await ground.close()
  }
}
