import { createServer } from "node:net"
import { ask, type Node } from "../node.ts"
import { laws, type Result } from "./figures.ts"
import type { Installation } from "./installation.ts"
import { type Arms, type Attack, launch } from "./launch.ts"
import { ordinary } from "./ordinary.ts"
import { paced } from "./paced.ts"

/** Maximum webhooks of an account. */
const subscriptions = 20
/** Events of one import of the attacker, each of which is sent to all its webhooks. */
const events = 500

const day = (before: number) => new Date(Date.now() - before * 86_400_000).toISOString().slice(0, 10)

/** Queries that lose nine positions each, different in each import. */
const dropping = (count: number, round: number) =>
  [
    "Date,Query,Page,Clicks,Impressions,Position",
    ...Array.from({ length: count }, (_, n) =>
      [10, 3].map((before) => `${day(before)},lost ${round} ${n},/a,1,40,${before === 3 ? 12 : 3}`).join("\n")
    )
  ].join("\n")

/** An endpoint that accepts connections and never responds, with the maximum number of webhooks; imports with events, pings, and recoveries. */
export const deliveries: Attack = async ({ base, given, keys: [key = "", ...pinging], scale }, report) => {
  const receiver = createServer((socket) => {
    socket.on("error", () => socket.destroy())
    socket.resume()
  })
  await new Promise<void>((listening) => receiver.listen(0, "127.0.0.1", listening))
  const address = receiver.address()
  const port = address !== null && typeof address === "object" ? address.port : 0
  const hooks: Array<string> = []
  for (let n = 0; n < subscriptions; n++) {
    const body = { events: ["ranking.dropped"], url: `http://127.0.0.1:${port}/${n}` }
    const made = await ask(base, "POST", "/api/v1/webhooks", { body, key })
    report.count(`subscription ${made.status}`)
    if (made.status === 201) hooks.push(made.body.data.id)
    await Bun.sleep(150)
  }
  const [project = ""] = given.project ?? []
  const bring = async (round: number) => {
    const response = await fetch(`${base}/api/v1/projects/${project}/rankings/imports?format=gsc-csv`, {
      body: dropping(events * scale, round),
      headers: { authorization: `Bearer ${key}` },
      method: "POST"
    })
    await response.arrayBuffer()
    report.count(`import ${response.status}`)
  }
  await bring(0)
  report.ready()
  const importing = async () => {
    for (let round = 1; ; round++) {
      await Bun.sleep(3000)
      await bring(round)
    }
  }
  const hook = (round: number) => `/api/v1/webhooks/${hooks[round % hooks.length]}`
  const ping = (key: string) =>
    paced(report, async (round) => `ping ${(await ask(base, "POST", `${hook(round)}/ping`, { body: {}, key })).status}`)
  const recover = async () => {
    for (let round = 0; ; round++) {
      await Bun.sleep(1000)
      const body = { since: new Date(Date.now() - 3_600_000).toISOString() }
      report.count(`recovery ${(await ask(base, "POST", `${hook(round)}/recover`, { body, key })).status}`)
    }
  }
  await Promise.all([importing(), recover(), ...pinging.map(ping)])
}

export const armDeliveries = async ({ attacker }: Installation, { base }: Node): Promise<Arms> => {
  const keys = await attacker.keys(13)
  const [key] = keys
  const { body } = await ask(base, "POST", "/api/v1/projects", { body: { url: "https://events.example" }, key })
  return { given: { project: [body.data.id] }, keys }
}

/** Events for the maximum number of hanging endpoints of an account. */
export const deliveriesCase = async (installation: Installation): Promise<Result> => {
  const { seconds } = installation.options
  const on = await installation.serve()
  const tenant = await ordinary(installation, on)
  const arms = await armDeliveries(installation, on)
  const idle = await tenant.measure(seconds)
  const attack = await launch(installation, on, "deliveries", arms)
  const attacked = await tenant.measure(seconds)
  console.log(`  deliveries: ${JSON.stringify(await attack.stop())}`)
  return { figures: { idle, attacked }, laws: laws("deliveries", idle, attacked) }
}
