// Receives deliveries in a process of its own: answers after DELAY milliseconds, and keeps for each event when it came and how old it was.
const delay = Number(process.env.DELAY ?? 0)
let first = 0
let last = 0
let ages: Array<number> = []
const seen = new Set<string>()
let repeated = 0

const percentile = (sorted: ReadonlyArray<number>, share: number) => sorted[Math.floor(sorted.length * share)] ?? 0

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  idleTimeout: 120,
  async fetch(request) {
    if (request.method === "GET") {
      const sorted = ages.toSorted((a, b) => a - b)
      return Response.json({
        first,
        last,
        p50: percentile(sorted, 0.5),
        p99: percentile(sorted, 0.99),
        received: seen.size,
        repeated
      })
    }
    if (request.method === "DELETE") {
      ages = []
      seen.clear()
      first = 0
      repeated = 0
      return new Response("")
    }
    const { data, id } = (await request.json()) as { data: { sent: number }; id: string }
    const name = `${new URL(request.url).pathname} ${id}`
    last = Date.now()
    if (first === 0) first = last
    if (seen.has(name)) repeated++
    else ages.push(last - data.sent)
    seen.add(name)
    if (delay > 0) await Bun.sleep(delay)
    return new Response("")
  }
})
console.log(`receives on http://127.0.0.1:${server.port}`)
