// Fills an installation through its API and commands as users would, and writes its backup and what it answers: `bun run campaign released NAME`.
// Done once for each release; test/app/operator/Released.test.ts holds every later version to these answers.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import * as Effect from "effect/Effect"
import { run } from "../../../cli.ts"
import { html } from "../../../crawl/site/Html.ts"
import { serve } from "../../../crawl/site/Server.ts"
import { ask, start } from "../../../e2e/node.ts"

const name = process.argv[2] ?? ""

/** A small site with a dead link, a page that is not to be indexed, and a receiver of webhooks. */
const site = serve(() => (request, response) => {
  const pages: Record<string, string> = {
    "/": html({ title: "Home of a small site", links: ["/a", "/b", "/gone"] }),
    "/a": html({ title: "A page", links: ["/", "/gone"] }),
    "/b": html({ title: "A page", links: ["/a"], head: '<meta name="robots" content="noindex">' })
  }
  const page = pages[request.url ?? ""]
  response.writeHead(request.method === "POST" ? 204 : page === undefined ? 404 : 200, { "content-type": "text/html" })
  response.end(request.method === "POST" ? undefined : (page ?? "no"))
})

/** Four weeks of rankings, with a query that falls and one that comes. */
const rankings = () => {
  const days = Array.from({ length: 28 }, (_, at) => new Date(Date.UTC(2026, 9, 1 + at)).toISOString().slice(0, 10))
  const rows = days.flatMap((day, at) => [
    `${day},shoes,https://www.example.com/shoes,${at % 3},${40 + at},${at > 20 ? "14.5" : "3.25"}`,
    `${day},café au lait,https://www.example.com/menu?x=1,1,9,8`,
    ...(at > 20 ? [`${day},new boots,https://www.example.com/boots,0,30,6`] : [])
  ])
  return `Date,Query,Page,Clicks,Impressions,Position\n${rows.join("\n")}\n`
}

const program = Effect.gen(function* () {
  const directory = mkdtempSync(join(tmpdir(), "released-"))
  yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(directory, { force: true, recursive: true })))
  const environment = {
    FINDABLE_ALLOW_PRIVATE_NETWORKS: "127.0.0.0/8",
    FINDABLE_DATA_DIR: directory,
    FINDABLE_MASTER_KEY: Buffer.alloc(32, 7).toString("base64")
  }
  const node = yield* start(environment)
  const send = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    ask(`${node.base}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${node.key}`, "content-type": "application/json", ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    }).pipe(
      Effect.filterOrDieMessage(({ status }) => status < 300, `${method} ${path} failed`),
      Effect.map(({ body }) => body.data)
    )
  const command = (...words: ReadonlyArray<string>) =>
    Effect.tap(run(environment, ...words), ({ code, stderr }) =>
      code === 0 ? Effect.void : Effect.dieMessage(`${words.join(" ")}: ${stderr}`)
    )
  const { origin } = yield* site
  const local = yield* send("POST", "/projects", { url: origin })
  const shop = yield* send("POST", "/projects", { name: "Shop", url: "https://www.example.com" })
  yield* send("POST", "/webhooks", { events: ["audit.completed", "ranking.dropped"], url: `${origin}/hook` })
  const table = join(directory, "rankings.csv")
  writeFileSync(table, rankings())
  yield* command("rankings", "import", "--format", "gsc-csv", "--project", shop.id, table)
  const started = yield* send("POST", `/projects/${local.id}/site-health/runs`, undefined, {
    "idempotency-key": "released-1"
  })
  yield* send("GET", `/runs/${started.id}`, undefined, { prefer: "wait=25" })
  const paths = ["/projects", "/keywords", "/webhooks", `/runs/${started.id}?include=result`, `/projects/${local.id}`]
  const answers = yield* Effect.forEach(paths, (path) => Effect.map(send("GET", path), (data) => ({ data, path })))
  const file = resolve(import.meta.dir, `${name}.backup.gz`)
  yield* command("backup", file)
  writeFileSync(resolve(import.meta.dir, `${name}.answers.json`), `${JSON.stringify(answers, null, 1)}\n`)
  node.kill("SIGTERM")
  yield* node.exited
})

await Effect.runPromise(Effect.scoped(program))
