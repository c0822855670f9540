import { createHmac } from "node:crypto"
import { insider } from "./attackers.ts"
import { command, type Node, node, spawn } from "./node.ts"
import { postgres } from "./postgres.ts"

const accounts = 30
const each = 8

const text = (byte: number) => Buffer.alloc(32, byte).toString("base64")

/** An endpoint that keeps the last request to each path, to be verified with the secret of its webhook. */
const judge = () => {
  const secrets = new Map<string, string>()
  const genuine = new Set<string>()
  const server = Bun.serve({
    fetch: async (request) => {
      const { pathname } = new URL(request.url)
      const bytes = await request.text()
      const { signed, timestamp } = {
        signed: request.headers.get("service-signature") ?? "",
        timestamp: request.headers.get("service-timestamp") ?? ""
      }
      const mac = createHmac("sha256", secrets.get(pathname) ?? "")
        .update(`${timestamp}.${bytes}`)
        .digest("hex")
      if (signed.includes(mac)) genuine.add(pathname)
      return new Response("")
    },
    hostname: "127.0.0.1",
    port: 0
  })
  return { genuine, secrets, stop: () => server.stop(true), url: `http://127.0.0.1:${server.port}` }
}

interface Subscription {
  readonly id: string
  readonly key: string
  readonly path: string
}

/**
 * `rotations [rounds]`: kills `secrets rotate` with SIGKILL in the middle of a batch, each time after a larger share of the secrets has been encrypted anew;
 * meanwhile and after the next rotation a server still signs with every secret.
 */
export const rotations = async ([given = "30"]: ReadonlyArray<string>) => {
  const database = await postgres()
  const receiver = judge()
  const rounds = Number(given)
  const keys = (round: number) => ({
    DATABASE_URL: database.url(),
    FINDABLE_MASTER_KEY: text(round + 1),
    FINDABLE_OLD_MASTER_KEY: text(round)
  })
  const first = await node({ DATABASE_URL: database.url(), FINDABLE_MASTER_KEY: text(1) })
  const subscriptions: Array<Subscription> = []
  for (let account = 0; account < accounts; account++) {
    const { key } = await insider(database)
    for (let at = 0; at < each; at++) {
      const path = `/${account}/${at}`
      const { body } = await first.ask("POST", "/api/v1/webhooks", {
        body: { events: ["audit.completed"], url: receiver.url + path },
        key
      })
      receiver.secrets.set(path, body.data.secret)
      subscriptions.push({ id: body.data.id, key, path })
    }
  }
  await first.end("SIGTERM")
  // As slow as a busy database, so that a kill interrupts a batch.
  await database.query(
    `CREATE FUNCTION dawdle() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(0.004); RETURN NEW; END $$;
     CREATE TRIGGER dawdle BEFORE UPDATE OF secret ON webhooks FOR EACH ROW EXECUTE FUNCTION dawdle()`
  )

  const wrong: Array<string> = []
  const signsAll = async (on: Node, some: ReadonlyArray<Subscription>, when: string) => {
    receiver.genuine.clear()
    for (const { id, key } of some) await on.ask("POST", `/api/v1/webhooks/${id}/ping`, { key })
    const not = some.filter(({ path }) => !receiver.genuine.has(path))
    if (not.length > 0) wrong.push(`${when}: ${not.length} of ${some.length} were not signed with their secret`)
  }
  const carriedOver = async (before: ReadonlyMap<string, string>) =>
    (await database.query("SELECT id, secret FROM webhooks")).filter(({ id, secret }) => before.get(id) !== secret)
      .length

  let midst = 0
  for (let round = 1; round <= rounds; round++) {
    const before = new Map(
      (await database.query("SELECT id, secret FROM webhooks")).map(({ id, secret }) => [id, secret])
    )
    const { child } = spawn("cli.ts", keys(round), ["secrets", "rotate"])
    const running = async () =>
      (
        await database.query(
          "SELECT 1 FROM pg_stat_activity WHERE query LIKE '%UPDATE webhooks%' AND pid <> pg_backend_pid()"
        )
      ).length > 0
    while (child.exitCode === null && !(await running())) await Bun.sleep(2)
    await Bun.sleep((round / rounds) * subscriptions.length * 5)
    child.kill("SIGKILL")
    await child.exited
    await database.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%UPDATE webhooks%' AND pid <> pg_backend_pid()"
    )
    const carried = await carriedOver(before)
    if (carried > 0 && carried < subscriptions.length) midst++
    const on = await node(keys(round))
    const some = subscriptions.filter((_, at) => (at + round) % 10 === 0)
    await signsAll(on, some, `round ${round}, after the kill`)
    const { code, output } = await command(keys(round), ["secrets", "rotate", "--json"])
    if (code !== 0) wrong.push(`round ${round}: ${output}`)
    await signsAll(on, some, `round ${round}, after the rotation`)
    await on.end("SIGTERM")
  }
  const last = await node({ DATABASE_URL: database.url(), FINDABLE_MASTER_KEY: text(rounds + 1) })
  await signsAll(last, subscriptions, "with the last key alone")
  await last.end("SIGTERM")
  console.log(
    `${rounds} rotations of ${subscriptions.length} secrets killed, ${midst} of them when a part was carried over; each went on and ended, and with the last key alone ${receiver.genuine.size} of ${subscriptions.length} secrets sign as they did at first ${wrong.join("; ")}`
  )
  receiver.stop()
  await database.remove()
  return wrong.length === 0
}
