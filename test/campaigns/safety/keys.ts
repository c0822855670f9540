import { keyOf } from "../attackers.ts"
import type { Law } from "../fairness/figures.ts"
import { closeAll, installation } from "../fairness/installation.ts"
import type { Answer, Node } from "../node.ts"
import type { Postgres } from "../postgres.ts"
import type { SafetyCase } from "../safety.ts"

const plans = { agency_team: 100, free: 5, growth_pro: 25, starter: 10 } as const
/** Keys that a free account requests concurrently. */
const flood = 273
/** Requests a minute that the plan of that account allows per key. */
const perMinute = 60
const pace = 10

const scopes = ["keys:manage", "projects:read"]
const body = { name: "flood", scopes: ["projects:read"] }

const ofStatus = (answers: ReadonlyArray<Answer>, status: number) => answers.filter((one) => one.status === status)

const counted = (answers: ReadonlyArray<Answer>) =>
  [...Map.groupBy(answers, ({ status }) => status)].map(([status, { length }]) => `${status}: ${length}`).join(", ")

const accountOf = async ({ query }: Postgres, plan: string): Promise<string> => {
  const [{ id }] = await query("INSERT INTO accounts (name, plan) VALUES ('flood', $1) RETURNING id", [plan])
  return id
}

/** The maximum number of keys, over two servers and with as many managing keys as an administrator created, and requests with all of them. */
const floodOf = async (nodes: ReadonlyArray<Node>, database: Postgres): Promise<ReadonlyArray<Law>> => {
  const account = await accountOf(database, "free")
  const managers = [await keyOf(database, account, scopes), await keyOf(database, account, scopes)]
  const on = (n: number) => nodes[n % nodes.length]
  const asked = Array.from({ length: flood }, (_, n) =>
    on(n)?.ask("POST", "/api/v1/keys", { body, key: managers[(n >> 1) % managers.length] })
  )
  const answers = (await Promise.all(asked)).flatMap((answer) => answer ?? [])
  const made = ofStatus(answers, 201).map(({ body }): string => body.data.key)
  const keys = [...managers, ...made]
  const requests = keys.flatMap((key) =>
    Array.from({ length: 2 * perMinute }, (_, n) => on(n)?.ask("GET", "/api/v1/projects", { key }))
  )
  const passed = ofStatus(
    (await Promise.all(requests)).flatMap((answer) => answer ?? []),
    200
  ).length
  const [{ kept, most }] = await database.query(
    "SELECT count(*)::int AS kept, max(cardinality(passes)) AS most FROM api_key_passes JOIN api_keys k ON k.id = key_id WHERE account_id = $1",
    [account]
  )
  return [
    {
      found: `${keys.length} keys; ${counted(answers)}`,
      holds: keys.length <= plans.free,
      law: `${flood} creations at once, over two nodes, leave a free account with at most ${plans.free} keys`
    },
    {
      found: `${passed}`,
      holds: passed <= plans.free * perMinute,
      law: `they get at most ${plans.free} × ${perMinute} requests through in a minute`
    },
    {
      found: `${kept} rows, of which the longest has ${most} times`,
      holds: kept === keys.length && most <= perMinute,
      law: "a key has one row, with the times of what passed in its window"
    }
  ]
}

/** Concurrent creations over two servers, and then rotations as fast as a key of the smallest plan may send them. */
const limitOf = async (nodes: readonly [Node, Node], database: Postgres, plan: keyof typeof plans) => {
  const account = await accountOf(database, plan)
  const managers = [await keyOf(database, account, scopes), await keyOf(database, account, scopes)] as const
  for (let n = 3; n < plans[plan]; n++) await keyOf(database, account, ["projects:read"])
  const post = async (n: number, path: string, body: object) =>
    await nodes[n % 2 === 0 ? 0 : 1].ask("POST", path, { body, key: managers[n % 2 === 0 ? 0 : 1] })
  const twelve = await Promise.all(Array.from({ length: 12 }, (_, n) => post(n, "/api/v1/keys", body)))
  const [first] = ofStatus(twelve, 201)
  let id: string = first?.body?.data?.id
  const turned: Array<Answer> = []
  for (let n = 0; n < pace; n++) {
    await Bun.sleep(1000 / pace)
    const answer = await post(n, `/api/v1/keys/${id}/rotate`, {})
    turned.push(answer)
    id = answer.body?.data?.id ?? id
  }
  const [{ count }] = await database.query(
    "SELECT count(*) FROM api_keys WHERE account_id = $1 AND revoked_at IS NULL AND coalesce(expires_at > clock_timestamp(), true)",
    [account]
  )
  return {
    found: `${counted(twelve)}; then rotations ${counted(turned)}; ${count} usable keys`,
    holds:
      ofStatus(twelve, 201).length === 1 &&
      ofStatus(twelve, 422).length === 11 &&
      ofStatus(turned, 201).length === pace - 1 &&
      ofStatus(turned, 429).length === 1 &&
      Number(count) <= plans[plan] + 1,
    law: `${plan}: of twelve creations at once before the last of ${plans[plan]} keys one succeeds, and then nine rotations a minute, which add one key at most`
  } satisfies Law
}

/** An account that tries to exceed its plan by more keys. */
export const keys: SafetyCase = async () => {
  const { database, serve } = await installation({ scale: 1, seconds: 1 })
  try {
    const nodes = [await serve(), await serve()] as const
    const laws = [...(await floodOf(nodes, database))]
    for (const plan of ["free", "starter", "growth_pro", "agency_team"] as const)
      laws.push(await limitOf(nodes, database, plan))
    return laws
  } finally {
    await closeAll()
  }
}
