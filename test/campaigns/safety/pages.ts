import { readFileSync } from "node:fs"
import { insider } from "../attackers.ts"
import { installation } from "../fairness/installation.ts"
import { node, until } from "../node.ts"
import type { SafetyCase } from "../safety.ts"

const accounts = 6
const hostsOfAccount = 4
const pagesOfHost = 1
const bytes = 2 * 1024 * 1024 - 1024

const filled = (one: (at: number) => string) => {
  let text = ""
  for (let at = 0; text.length < bytes; at++) text += one(at)
  return text
}

const html = (head: string, body: string) =>
  `<!doctype html><html lang="en"><head><title>t</title>${head}</head><body>${body}</body></html>`

/** Pages that make much work of 2 MiB: only one account's hosts send each kind. */
const kinds = [
  html("", `<p ${filled((at) => `a${at}=x `)}>text</p>`),
  html(
    "",
    filled((at) => `<a a b c d href=/${at}>`)
  ),
  html(
    `<script type="application/ld+json">{"@graph":[${filled((at) => `{"@type":"A","b":${at}},`)}{}]}</script>`,
    "text"
  ),
  html(`<script type="application/ld+json">${"[".repeat(bytes / 2)}${"]".repeat(bytes / 2)}</script>`, "text"),
  html(
    filled((at) => `<script type="application/ld+json">{"@type":"Thing","name":"${at}"}</script>`),
    "text"
  ),
  html(
    "",
    filled((at) => `<img src=/${at} srcset="/${at} 1x,/b 2x" alt=${at}>`)
  )
]

/** Rules that make much work of the 500 KiB of a robots.txt file. */
const robots = `User-agent: *\n${filled((at) => `Disallow: /*q*${at}$\n`).slice(0, 500 * 1024)}`

const memoryOf = (pid: number, field: string) =>
  Number(new RegExp(`${field}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024

const most = 400

/** Six accounts whose linking pages are as costly to read as possible. */
export const pages: SafetyCase = async () => {
  const ground = await installation({ scale: 1, seconds: 1 })
  const server = Bun.serve({
    fetch: (request) => {
      const { hostname, pathname } = new URL(request.url)
      const which = Number(hostname.split(".")[2])
      if (pathname === "/robots.txt")
        return which % 2 === 0
          ? new Response("", { status: 404 })
          : new Response(robots, { headers: { "content-type": "text/plain" } })
      return new Response(kinds[which % kinds.length], { headers: { "content-type": "text/html; charset=utf-8" } })
    },
    hostname: "0.0.0.0",
    port: 0
  })
  try {
    const serving = await node({
      DATABASE_URL: ground.database.url(),
      FINDABLE_BACKLINK_PAUSE: "20 millis",
      FINDABLE_CHILD_NICENESS: "0"
    })
    const { pid } = serving.child
    await Bun.sleep(1000)
    const before = memoryOf(pid, "VmHWM")
    await Promise.all(
      Array.from({ length: accounts }, async (_, account) => {
        const { key } = await insider(ground.database)
        const made = await serving.ask("POST", "/api/v1/projects", {
          body: { url: `http://shop${account}.example` },
          key
        })
        const path = `/api/v1/projects/${made.body.data.id}/backlinks`
        const rows = Array.from(
          { length: hostsOfAccount * pagesOfHost },
          (_, at) => `http://127.0.${account}.${10 + (at % hostsOfAccount)}:${server.port}/page${at}`
        )
        await fetch(`${serving.base}${path}/imports`, {
          body: ["url", ...rows].join("\n"),
          headers: { authorization: `Bearer ${key}` },
          method: "POST"
        })
      })
    )
    let looked = 0
    const seconds = await until(
      async () => {
        const [{ count }] = await ground.database.query(
          "SELECT count(*)::int FROM backlinks WHERE checked_at IS NOT NULL"
        )
        looked = count
        return looked === accounts * hostsOfAccount * pagesOfHost
      },
      300,
      500
    )
    const reasons = await ground.database.query("SELECT state, reason, count(*)::int FROM backlinks GROUP BY 1, 2")
    const after = memoryOf(pid, "VmHWM")
    await serving.end("SIGTERM")
    return [
      {
        found: `${before.toFixed(0)} MB before, ${after.toFixed(0)} MB after ${looked} pages in ${seconds.toFixed(0)} s; ${JSON.stringify(reasons)}`,
        holds: after <= most,
        law: `VmHWM of the serving process is at most ${most} MB`
      }
    ]
  } finally {
    server.stop(true)
    await ground.close()
  }
}
