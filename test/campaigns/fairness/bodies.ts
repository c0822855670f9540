import { ask, type Node } from "../node.ts"
import { byCode, type Law, laws, type Result } from "./figures.ts"
import type { Installation } from "./installation.ts"
import { type Arms, type Attack, launch } from "./launch.ts"
import { ordinary } from "./ordinary.ts"
import { paced } from "./paced.ts"

const kibibytes = 256

/** An evaluation with the maximum number of pages; both groups add up. */
const evaluation = (pages: number) => {
  const each = { postConversions: 3, postImpressions: 110, preConversions: 2, preImpressions: 100 }
  const half = pages / 2
  const sums = Object.fromEntries(Object.entries(each).map(([name, value]) => [name, value * half]))
  const metrics = (arm: string) =>
    Array.from({ length: half }, (_, n) => ({ ...each, arm, page: `/${arm}/${"path/".repeat(20)}${n}` }))
  return JSON.stringify({
    controlMetrics: sums,
    pages: [...metrics("control"), ...metrics("treatment")],
    treatmentMetrics: sums
  })
}

/** Bodies of the maximum length, with values as small, deep or numerous as possible. */
const nested = (() => {
  const bytes = kibibytes * 1024 - 100
  return [
    `{"url":${"[".repeat(bytes / 2)}${"]".repeat(bytes / 2)}}`,
    `{"url":[${"[],".repeat(bytes / 3)}[]]}`,
    `{${Array.from({ length: bytes / 14 }, (_, n) => `"k${String(n).padStart(7, "0")}":1`).join(",")}}`,
    `{"brand_terms":[${Array.from({ length: bytes / 5 }, () => '"ä"').join(",")}]}`,
    `{"url":"${"\\u0061".repeat(bytes / 6)}"}`
  ]
})()

const manyHeaders = Object.fromEntries(Array.from({ length: 90 }, (_, n) => [`x-header-${n}`, "v".repeat(60)]))

/** The most costly accepted bodies and headers, one after the other, with one key at its rate limit. */
export const bodies: Attack = async ({ base, given: { growth: [growth = ""] = [] }, keys: [key = ""] }, report) => {
  const large = evaluation(10_000)
  const send = async (method: string, path: string, body?: string, headers: Record<string, string> = {}) => {
    const response = await fetch(`${base}/api/v1${path}`, {
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
      method,
      ...(body === undefined ? {} : { body })
    })
    await response.arrayBuffer()
    return response.status
  }
  const evaluate = async () => {
    const body = { name: "e", project_id: growth, status: "running" }
    const made = await ask(base, "POST", "/api/v1/experiments", { body, key })
    return `evaluation ${await send("POST", `/experiments/${made.body?.data?.id}/evaluate`, large)}`
  }
  const parameters = `query=${"%C3%9F".repeat(300)}&page_path=/${"a%2F".repeat(1200)}`
  const others = [
    async () => `query string ${await send("GET", `/keywords?${parameters}`)}`,
    async () => `headers ${await send("GET", "/projects", undefined, manyHeaders)}`,
    ...nested.map((body) => async () => `nested ${await send("POST", "/projects", body)}`)
  ]
  report.ready()
  await paced(report, async (round) => (round % 4 === 0 ? evaluate() : (others[round % others.length]?.() ?? "none")))
}

export const armBodies = async ({ attacker }: Installation, { base }: Node): Promise<Arms> => {
  const keys = await attacker.keys(1)
  const body = { domain: "bodies.example" }
  const made = await ask(base, "POST", "/api/v1/growth-projects", { body, key: keys[0] })
  return { given: { growth: [made.body.data.id] }, keys }
}

/** The worst accepted bodies, with one key at its rate limit. */
export const bodiesCase = async (installation: Installation): Promise<Result> => {
  const { seconds } = installation.options
  const on = await installation.serve()
  const tenant = await ordinary(installation, on)
  const arms = await armBodies(installation, on)
  const idle = await tenant.measure(seconds)
  const attack = await launch(installation, on, "bodies", arms)
  const attacked = await tenant.measure(seconds)
  const counts = await attack.stop()
  const faults = Object.entries(counts).filter(([answer]) => / (5\d\d|no answer.*)$/.test(answer))
  const own: Law = {
    found: byCode(counts),
    holds: faults.length === 0,
    law: "none of the bodies is answered with 5xx, or with nothing"
  }
  return { figures: { idle, attacked }, laws: [own, ...laws("bodies", idle, attacked)] }
}
