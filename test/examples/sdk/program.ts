import { createServer } from "node:http"
import { createClient, isApiError, records, type SiteHealthRunWithResult } from "@findable/sdk"
import { POST, seen, subscription } from "./route.js"

// A backend without Effect: it subscribes, has its site crawled, reads the result, and receives the event at the end.

const [, , baseUrl = "", key = ""] = process.argv

/** The site to crawl, and the endpoint of webhooks. */
const server = createServer(async (incoming, outgoing) => {
  if (incoming.method !== "POST") {
    outgoing.setHeader("content-type", "text/html").end("<!doctype html><title>Shoes</title>")
    return
  }
  const pieces: Array<Uint8Array> = []
  for await (const piece of incoming) pieces.push(piece)
  const headers = { "service-signature": String(incoming.headers["service-signature"]) }
  const request = new Request("http://receiver.example/", { body: Buffer.concat(pieces), headers, method: "POST" })
  const { status } = await POST(request)
  outgoing.writeHead(status).end()
})
await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
const address = server.address()
const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}/`

const client = createClient({ baseUrl, key })
const webhook = await client.webhooks.create({ body: { events: ["audit.completed"], url } })
subscription.secret = webhook.data.secret ?? ""

const project = await client.projects.create({ body: { url } })
const path = { project_id: project.data.id }
const started = await client.siteHealth.start({ idempotencyKey: crypto.randomUUID(), path })
let run: SiteHealthRunWithResult
do {
  const look = { path: { run_id: started.data.id }, query: { include: "result" }, wait: 25 } as const
  run = (await client.siteHealth.get(look)).data
} while (run.finished_at === null)
if (!run.result) throw new Error(`The run ended as ${run.status}: ${run.error?.message}`)

const hosts: Array<string> = []
for await (const { host } of records((start) => client.projects.list({ query: { limit: 1, ...start } })))
  hosts.push(host)

let refused = "nothing"
try {
  await client.projects.create({ body: { url: "ftp://files.example" } })
} catch (error) {
  // `error.code` has the type of this operation's codes.
  if (!isApiError(error, client.projects.create)) throw error
  refused = error.code === "validation_error" ? (error.details[0]?.path ?? error.code) : error.code
}

while (seen.length === 0) await new Promise((later) => setTimeout(later, 20))
server.close()
console.log(
  JSON.stringify({
    answers: [webhook.status, project.status, started.status],
    hosts: hosts.length,
    isSeen: seen[0]?.startsWith(`${started.data.id}: 1 pages`),
    pages: run.result.pages.length,
    refused
  })
)
