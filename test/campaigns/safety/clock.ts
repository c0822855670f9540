import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { insider } from "../attackers.ts"
import type { Law } from "../fairness/figures.ts"
import { installation } from "../fairness/installation.ts"
import { node, until } from "../node.ts"
import { leased } from "./leased.ts"
import { everything, others } from "./others.ts"

const library = `/usr/lib/${process.arch === "arm64" ? "aarch64" : "x86_64"}-linux-gnu/faketime/libfaketime.so.1`

/** Seconds until all work is done after the jump. */
const patience = 150

/** Requests to GitHub about one open pull request in ten seconds, polled every two seconds. */
const pollsAtMost = 8

/** Sets the clock of a server during every kind of locked work. */
const jump = async (offset: string): Promise<ReadonlyArray<Law>> => {
  const on = await installation({ scale: 1, seconds: 0 })
  try {
    const home = mkdtempSync(join(tmpdir(), "findable-clock-"))
    on.onClose(() => rmSync(home, { recursive: true }))
    const clock = join(home, "clock")
    writeFileSync(clock, "+0\n")
    const systems = await others(on.onClose)
    const serving = await node({
      DATABASE_URL: on.database.url(),
      ...systems.settings,
      FAKETIME_DONT_FAKE_MONOTONIC: "1",
      FAKETIME_NO_CACHE: "1",
      FAKETIME_TIMESTAMP_FILE: clock,
      LD_PRELOAD: library
    })
    on.onClose(() => serving.end("SIGKILL"))
    const { account, key } = await insider(on.database, everything)
    const work = await leased(serving, key, systems)
    const ends = new Date(Date.now() + 5 * 60_000).toISOString()
    await on.database.query("UPDATE api_keys SET expires_at = $2 WHERE account_id = $1", [account, ends])
    systems.gate.close()
    await work.begin()
    await until(() => systems.gate.held() >= 20, 30).catch(() => 0)
    writeFileSync(clock, `${offset}\n`)
    // The server reads the database's time each second.
    await Bun.sleep(3000)
    systems.gate.open()
    await on.database.query("UPDATE api_keys SET expires_at = NULL WHERE account_id = $1", [account])
    const laws = await work.laws(patience)
    const polls = () => systems.gate.seen("github GET").reduce((sum, [, count]) => sum + count, 0)
    const before = polls()
    await Bun.sleep(10_000)
    const polled = polls() - before
    const [far] = await on.database.query(
      "SELECT count(*)::int AS count FROM inspections WHERE due_at > now() + interval '12 hours'"
    )
    if (process.env.CAMPAIGN_LOG !== undefined) console.log(serving.output())
    return [
      ...laws,
      {
        found: `${polled} requests in ten seconds`,
        holds: polled > 0 && polled <= pollsAtMost,
        law: "an open pull request is looked at as often as before"
      },
      { found: `${far.count}`, holds: far.count === 0, law: "no inspection waits for a day that is not this one" }
    ].map((law) => ({ ...law, law: `${offset}: ${law.law}` }))
  } finally {
    await on.close()
  }
}

/** The clock of a server is set an hour and a day forward and back during every kind of locked work. */
export const clock = async (): Promise<ReadonlyArray<Law>> => {
  if (!existsSync(library)) throw new Error(`Install the package faketime: ${library} is missing`)
  const laws: Array<Law> = []
  for (const offset of ["+1h", "-1h", "+1d", "-1d"]) laws.push(...(await jump(offset)))
  return laws
}
