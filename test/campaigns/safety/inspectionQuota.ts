import type { Law } from "../fairness/figures.ts"
import { installation } from "../fairness/installation.ts"
import { type Node, node, until } from "../node.ts"
import { googles, ofUser } from "./google.ts"

const urlsOf = (host: string, path: string, count: number) =>
  Array.from({ length: count }, (_, n) => `https://${host}/${path}/${n}`)

/** A site of a key that is connected to the property of the host by its own credentials. */
const connected = async (on: Node, key: string, host: string, refreshToken: string) => {
  const { id } = (await on.ask("POST", "/api/v1/projects", { body: { url: `https://${host}/` }, key })).body.data
  const body = { credentials: ofUser(refreshToken), every: "off", property: `sc-domain:${host}` }
  await on.ask("PUT", `/api/v1/projects/${id}/rankings/source`, { body, key })
  return `/api/v1/projects/${id}/inspections`
}

/** One account inspects a site with credentials that Google refuses, while the site's own account inspects it. */
export const inspectionQuota = async (): Promise<ReadonlyArray<Law>> => {
  const { attacker, close, database, ordinary } = await installation({ scale: 1, seconds: 1 })
  const google = googles()
  const serving = Array.from({ length: 2 }, () => node({ DATABASE_URL: database.url(), ...google.settings }))
  const nodes = await Promise.all(serving)
  try {
    const [first, second] = nodes
    const [[attackers = ""], [owners = ""]] = await Promise.all([attacker.keys(1), ordinary.keys(1)])
    if (first === undefined || second === undefined) throw new Error("Two nodes are needed")
    const laws: Array<Law> = []
    for (const status of [401, 403, 429] as const) {
      const host = `shop-${status}.example`
      const refused = `refused-${status}`
      google.refuse(refused, status)
      const attack = await connected(first, attackers, host, refused)
      await first.ask("POST", attack, { body: { urls: urlsOf(host, "attack", 2000) }, key: attackers })
      await until(() => google.asked(refused) > 0, 60)
      const own = await connected(second, owners, host, `accepted-${status}`)
      const { body } = await second.ask("POST", own, { body: { urls: urlsOf(host, "own", 50) }, key: owners })
      const done = async () =>
        (await second.ask("GET", `${own}?limit=100`, { key: owners })).body.data.filter(
          (one: { status: string }) => one.status === "done"
        ).length
      const seconds = await until(async () => (await done()) === 50, 120, 200).catch(() => Number.NaN)
      const [quota] = await database.query("SELECT of_day FROM inspection_quotas WHERE property = $1", [
        `sc-domain:${host}`
      ])
      laws.push(
        {
          found: `${await done()} of 50 after ${seconds.toFixed(1)} s`,
          holds: Number.isFinite(seconds),
          law: `beside credentials that are answered ${status}, all URLs of others are inspected`
        },
        {
          found: String(quota?.of_day ?? 0),
          holds: quota?.of_day === 50,
          law: `${status}: the quota counts the answers alone`
        },
        {
          found: String(google.asked(refused)),
          holds: google.asked(refused) <= 6,
          law: `${status}: refused credentials are tried at most 6 times`
        },
        {
          found: String(body.data?.position_estimate),
          holds: body.data?.position_estimate === 0,
          law: `${status}: the estimate says nothing of the 2,000 URLs of the other account`
        }
      )
    }
    return laws
  } finally {
    for (const one of nodes) await one.end("SIGKILL")
    google.stop()
    await close()
  }
}
