/**
 * `bun run campaign kills [workers] [backends]`: kills worker processes (300 by default), then sessions of the database (30 by default), both with SIGKILL in
 * the middle of their work; two workers run at a time, with four webhooks and an endpoint that verifies each delivery with three foreign libraries. After
 * each kill it computes which deliveries may arrive twice: all that the worker held, which are in flight or accepted and not yet recorded. When a session is
 * killed PostgreSQL restarts, and commits of the last 0.6 s that did not wait for the disk are lost too. It fails when a delivery is lost, stuck or not
 * genuine, or arrives again without such a reason.
 */

import { acceptedBy, everybody } from "../features/webhooks/verifiers.ts"
import { account, publish, query, remove, subscribe, worker } from "./webhooks/installation.ts"

const kills = { backends: Number(process.argv[3] ?? 30), workers: Number(process.argv[2] ?? 300) }
const webhooks = 4
/** The time until writes reach the disk, and the time of a batch, in milliseconds. */
const unwritten = 600 + 400

const secrets = new Map<string, string>()
/** The arrival times of each delivery, and how often it may be repeated. */
const receptions = new Map<string, Array<number>>()
const excused = new Map<string, number>()
const inFlight = new Set<string>()
let forged = 0
let arrived = 0
const receiver = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  idleTimeout: 120,
  async fetch(request) {
    const { pathname } = new URL(request.url)
    const headers = Object.fromEntries(request.headers)
    const name = `${pathname} ${headers["service-event-id"]}`
    inFlight.add(name)
    const body = await request.text()
    const verdicts = await acceptedBy({ body, headers, method: "POST", path: pathname }, secrets.get(pathname) ?? "")
    if (verdicts.length !== everybody.length) forged++
    await Bun.sleep(3)
    receptions.set(name, [...(receptions.get(name) ?? []), Date.now()])
    inFlight.delete(name)
    arrived++
    return new Response("")
  }
})
const owner = await account("kills")
for (let index = 0; index < webhooks; index++) {
  secrets.set(`/${index}`, await subscribe(owner, `http://127.0.0.1:${receiver.port}/${index}`))
}

const excuse = (names: Iterable<string>) => {
  const all = [...names]
  for (const name of all) excused.set(name, (excused.get(name) ?? 0) + 1)
  return all.length
}
const recent = () =>
  [...receptions].filter(([, times]) => (times.at(-1) ?? 0) > Date.now() - unwritten).map(([name]) => name)

const queued = async () =>
  (await query<{ count: number }>("SELECT count(*)::int AS count FROM webhook_queue"))[0]?.count ?? 0
/** Waits until a worker is active, and a little longer, so that the kill interrupts something. */
const busy = async () => {
  // A delivery interrupted by a killed session may have been committed or not.
  while ((await queued()) < 200) await publish(owner, 100).catch(() => Bun.sleep(50))
  const before = arrived
  while (arrived === before) await Bun.sleep(5)
  await Bun.sleep(Math.random() * 60)
}
const drained = async () => {
  const began = performance.now()
  while ((await queued()) > 0) await Bun.sleep(50)
  return Math.round((performance.now() - began) / 100) / 10
}

const workerIds = async () => (await query<{ id: string }>("SELECT id FROM webhook_workers")).map(({ id }) => id)
/** Starts a worker and waits for its lock, which names it. */
const started = async () => {
  const known = new Set(await workerIds())
  const child = worker()
  while (true) {
    const id = (await workerIds()).find((each) => !known.has(each))
    if (id !== undefined) return { child, id }
    await Bun.sleep(20)
  }
}
/** The deliveries that a worker holds: in flight, or successful and not yet recorded. */
const heldBy = async (ids: ReadonlyArray<string>) => {
  const rows = await query<{ name: string }>(
    `SELECT regexp_replace(url, '^.*/', '/') || ' ' || event_id AS name FROM webhook_queue JOIN webhooks w ON w.id = webhook_id
     WHERE worker = ANY ('{${ids.join()}}')`
  )
  return rows.map(({ name }) => name)
}

const repeats = () => [...receptions].filter(([, times]) => times.length > 1)
const repeated = () => repeats().reduce((sum, [, times]) => sum + times.length - 1, 0)
const most = { held: 0, repeated: 0 }
const perKill = (held: number, before: number) => {
  most.held = Math.max(most.held, held)
  most.repeated = Math.max(most.repeated, repeated() - before)
}

let began = Date.now()
const pool = [await started(), await started()]
for (let kill = 0; kill < kills.workers; kill++) {
  await busy()
  const before = repeated()
  const victim = pool.shift()
  victim?.child.kill("SIGKILL")
  await victim?.child.exited
  const held = excuse(victim === undefined ? [] : await heldBy([victim.id]))
  pool.push(await started())
  perKill(held, before)
}
const seconds = await drained()
const rate = (count: number) => `${Math.round((count * 60_000) / (Date.now() - began))} a minute`
const afterWorkers = repeated()
console.log(
  `${kills.workers} workers killed (${rate(kills.workers)}): ${receptions.size} deliveries, ${afterWorkers} came again; the worker killed with most in hand had ${most.held}; the last was taken over within ${seconds} s`
)

began = Date.now()
let window = 0
for (let kill = 0; kill < kills.backends; kill++) {
  await busy()
  const [session] = await query<{ pid: number }>(
    `SELECT pid FROM pg_stat_activity WHERE application_name IN (${pool.map(({ child }) => `'findable ${child.pid}'`).join()}) ORDER BY random() LIMIT 1`
  )
  // The workers are stopped while they are counted; statements already sent continue.
  for (const { child } of pool) child.kill("SIGSTOP")
  const held = await heldBy(pool.map(({ id }) => id))
  window = Math.max(window, excuse(new Set([...held, ...inFlight, ...recent()])))
  if (session !== undefined) process.kill(session.pid, "SIGKILL")
  for (const { child } of pool) child.kill("SIGCONT")
  await queued()
}
await drained()
// An interrupted publication may have been committed: the database knows the events to deliver.
const events = await query<{ id: string }>("SELECT id FROM events")
const expected = events.flatMap(({ id }) => [...secrets.keys()].map((path) => `${path} ${id}`))
const lost = expected.filter((name) => !receptions.has(name)).length
const unexcused = repeats().filter(([name, times]) => times.length - 1 > (excused.get(name) ?? 0)).length
console.log(
  `${kills.backends} sessions killed (${rate(kills.backends)}): ${repeated() - afterWorkers} came again, of at most ${window} at a kill that were held by workers or accepted within the last second`
)
console.log(
  `${expected.length} deliveries in all: ${lost} lost, ${forged} not genuine, ${unexcused} came again without a reason`
)
for (const { child } of pool) child.kill("SIGKILL")
receiver.stop(true)
await remove()
process.exit(lost === 0 && forged === 0 && unexcused === 0 ? 0 : 1)
