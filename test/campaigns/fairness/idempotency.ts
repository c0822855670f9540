import { ask } from "../node.ts"
import { byCode, type Result } from "./figures.ts"
import type { Installation } from "./installation.ts"
import { large } from "./uploads.ts"

const equal = 50
const rounds = 5
const keysAtOnce = 5

/** Concurrent equal imports with one `Idempotency-Key` and several API keys: one is created, and all responses name it. */
export const idempotency = async (installation: Installation): Promise<Result> => {
  const on = await installation.serve()
  const keys = await installation.attacker.keys(keysAtOnce)
  const made = await ask(on.base, "POST", "/api/v1/projects", { body: { url: "https://equal.example" }, key: keys[0] })
  const path = `/api/v1/projects/${made.body.data.id}/rankings/imports?format=gsc-csv`
  const counts: Record<string, number> = {}
  let ids = 0
  for (let round = 0; round < rounds; round++) {
    const body = large(100, `round ${round}`)
    const send = async (n: number) => {
      const response = await fetch(`${on.base}${path}`, {
        body,
        headers: { authorization: `Bearer ${keys[n % keysAtOnce]}`, "idempotency-key": `equal-imports-${round}` },
        method: "POST"
      })
      const { data, error } = Object(await response.json())
      const what = error === undefined ? `${response.status}` : `${response.status} ${error.code}`
      counts[what] = (counts[what] ?? 0) + 1
      return data?.id
    }
    const answered = await Promise.all(Array.from({ length: equal }, (_, n) => send(n)))
    ids += new Set(answered.filter((id) => id !== undefined)).size
    await Bun.sleep(2000)
  }
  const { 200: replayed = 0, 202: accepted = 0 } = counts
  return {
    figures: {},
    laws: [
      {
        found: `${byCode(counts)}; ${ids} imports`,
        holds: accepted === rounds && replayed === rounds * (equal - 1) && ids === rounds,
        law: `of ${equal} equal imports, ${rounds} times, one is 202 and the others are 200 with its id`
      }
    ]
  }
}
