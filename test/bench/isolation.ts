/**
 * `bun run campaign isolation [seconds]`: how much endpoints that hang, answer after 14 s, drip bytes or never end a TLS handshake delay deliveries to
 * healthy endpoints of the same worker process: milliseconds from event to receipt, without and with them. First ten accounts with twenty webhooks each,
 * nineteen of them of those kinds; then one account with a thousand that hang, beside a small one. Fails when p99 with them is
 * over 50 ms and over twice the p99 without them.
 */
import { createServer, type Socket } from "node:net"
import { account, publish, remove, run, sql, subscribe, worker } from "./webhooks/installation.ts"

const seconds = Number(process.argv[2] ?? 20)
const perSecond = 2

/** A server that never responds, or responds as configured. */
const hostile = async (answer: (socket: Socket) => void) => {
  const server = createServer((socket) => {
    socket.on("error", () => socket.destroy())
    socket.once("data", () => answer(socket))
  })
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
  const address = server.address()
  return typeof address === "object" ? (address?.port ?? 0) : 0
}
const silent = await hostile(() => {})
const late = await hostile((socket) => {
  setTimeout(() => socket.end("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"), 14_000)
})
const dripping = await hostile((socket) => {
  socket.write("HTTP/1.1 200 OK\r\nX-Drip: ")
  const drip = setInterval(() => socket.write("x"), 500)
  socket.on("close", () => clearInterval(drip))
})
const kinds = [
  `http://127.0.0.1:${silent}`,
  `http://127.0.0.1:${late}`,
  `http://127.0.0.1:${dripping}`,
  `https://127.0.0.1:${silent}`
]

let ages: Array<number> = []
const receiver = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  idleTimeout: 120,
  async fetch(request) {
    const { data } = (await request.json()) as { data: { sent: number } }
    ages.push(Date.now() - data.sent)
    return new Response("")
  }
})
const well = `http://127.0.0.1:${receiver.port}`

type Account = Awaited<ReturnType<typeof account>>

/** Publishes events for all these accounts at a rate, and returns the times until receipt. */
const measure = async (accounts: ReadonlyArray<Account>, rate: number, other?: Account) => {
  const publishing = (from: number, until: number) =>
    Promise.all(
      accounts.map(async (account, index) => {
        for (let at = from; at < until; at += 1000 / rate) {
          await Bun.sleep(Math.max(0, at + (index * 1000) / (rate * accounts.length) - Date.now()))
          await publish(account, 1)
        }
      })
    )
  // An event of the other account is a thousand deliveries.
  const noise = other === undefined ? undefined : setInterval(() => publish(other, 1), 5000)
  if (other !== undefined) await publish(other, 1)
  // After a second slow endpoints are known, and hot code is compiled.
  await publishing(Date.now(), Date.now() + 5000)
  ages = []
  const expected = accounts.length * rate * seconds
  await publishing(Date.now(), Date.now() + seconds * 1000)
  const began = Date.now()
  while (ages.length < expected && Date.now() - began < 20_000) await Bun.sleep(20)
  clearInterval(noise)
  const sorted = ages.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? Number.NaN
  return { deliveries: sorted.length, p50: at(0.5), p99: at(0.99), most: sorted.at(-1) ?? Number.NaN }
}

const process_ = worker()
const accounts = await Promise.all(Array.from({ length: 10 }, (_, index) => account(`mixed ${index}`)))
for (const [index, each] of accounts.entries()) await subscribe(each, `${well}/${index}`)
const alone = await measure(accounts, perSecond)
for (const [index, each] of accounts.entries()) {
  for (let bad = 0; bad < 19; bad++) await subscribe(each, `${kinds[bad % kinds.length]}/${index}/${bad}`)
}
const beside = await measure(accounts, perSecond)
console.table({ "10 that are well, alone": alone, "beside 190 that hang, drip or are late": beside })

await run(sql`DELETE FROM webhooks`)
const [small, large] = [await account("small"), await account("large")]
await subscribe(small, `${well}/small`)
const smallAlone = await measure([small], 10 * perSecond)
await subscribe(large, `${kinds[0]}/0`)
// The API allows twenty per account; an administrator's exception must not affect others.
await run(sql`
  INSERT INTO webhooks (id, account_id, url, events, secret)
  SELECT 'wh_' || lpad(n::text, 26, '0'), ${large}, url || n, events, secret FROM webhooks, generate_series(1, 999) n WHERE account_id = ${large}`)
const smallBeside = await measure([small], 10 * perSecond, large)
console.table({ "a small account, alone": smallAlone, "beside one with 1,000 that hang": smallBeside })

process_.kill("SIGKILL")
receiver.stop(true)
await remove()
const holds = (alone: { p99: number }, beside: { p99: number }) => beside.p99 <= Math.max(50, 2 * alone.p99)
process.exit(holds(alone, beside) && holds(smallAlone, smallBeside) ? 0 : 1)
