import { command, type Node, node, receiver, site, until } from "./node.ts"
import { postgres } from "./postgres.ts"

const idOf = ({ output }: { readonly output: string }) => JSON.parse(output.slice(output.indexOf("{")))

/**
 * `side-by-side TREE`: a node of the older tree, installed there, and one of this tree on one database: runs with keys are started on both, replayed on
 * the other, executed by either; lists are read on both; what both publish is delivered once.
 */
export const sideBySide = async ([tree]: ReadonlyArray<string>) => {
  if (tree === undefined) throw new Error("Name the directory of an older tree with its packages installed")
  const database = await postgres()
  const settings = { DATABASE_URL: database.url() }
  const older = await node(settings, tree)
  const account = idOf(
    await command(settings, ["accounts", "create", "--name", "a", "--plan", "agency_team", "--json"], tree)
  ).id
  const { key } = idOf(
    await command(settings, ["keys", "create", "--account", account, "--scopes", "*,site-health:write", "--json"], tree)
  )
  const pages = site(10, 5)
  const hooks = receiver()
  const project = (await older.ask("POST", "/api/v1/projects", { body: { url: pages.url }, key })).body.data.id
  await older.ask("POST", "/api/v1/webhooks", {
    body: { events: ["audit.completed", "audit.failed"], url: hooks.url },
    key
  })
  const newer = await node(settings)

  const start = (on: Node, n: number) =>
    on.ask("POST", `/api/v1/projects/${project}/site-health/runs`, {
      body: { max_pages: n },
      headers: { "idempotency-key": `run-number-${n}` },
      key
    })
  let wrong = 0
  let slowest = 0
  const expect = (what: string, holds: boolean) => {
    if (holds) return
    wrong++
    console.log(`  wrong: ${what}`)
  }
  const runs: Array<string> = []
  for (let n = 1; n <= 16; n++) {
    const [first, second] = n % 2 === 0 ? [older, newer] : [newer, older]
    const started = await start(first, n)
    expect(`start ${n} is ${started.status}`, started.status === 202)
    const replayed = await start(second, n)
    expect(`replay ${n} is ${replayed.status}`, replayed.body.meta?.idempotent_replay === true)
    const id: string = started.body.data.id
    runs.push(id)
    const ended = async () => (await newer.ask("GET", `/api/v1/runs/${id}`, { key })).body.data.finished_at !== null
    slowest = Math.max(slowest, await until(ended, 40, 500))
    const { body } = await newer.ask("GET", `/api/v1/runs/${id}?include=result`, { key })
    expect(
      `run ${n} ended ${body.data.status}`,
      ["completed", "partial"].includes(body.data.status) && body.data.result !== null
    )
  }
  await until(() => hooks.received.size >= runs.length, 20).catch(() => 0)
  const paths = [
    "/projects",
    "/keywords",
    "/keywords?query=a",
    "/webhooks",
    `/projects/${project}/site-health/runs`
  ].map((path) => `/api/v1${path}`)
  for (const path of paths) {
    for (const on of [older, newer]) {
      const { status } = await on.ask("GET", path, { key })
      expect(`${on === older ? "older" : "newer"} ${path} is ${status}`, status === 200)
    }
  }
  const once = [...hooks.received.values()].filter((count) => count === 1).length
  console.log(
    `${runs.length} runs, each started on one node and replayed on the other: ${wrong} wrong answers, the slowest ended after ${slowest.toFixed(1)} s; ${hooks.received.size} of ${runs.length} deliveries arrived, ${once} of them once`
  )
  const codes = [await older.end("SIGTERM"), await newer.end("SIGTERM")]
  await database.remove()
  return wrong === 0 && hooks.received.size === runs.length && codes.every((code) => code === 0)
}
