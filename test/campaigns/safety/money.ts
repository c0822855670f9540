import * as Effect from "effect/Effect"
import { engines } from "../../../src/features/visibility/Domain.ts"
import { answer, type FakeEngines, keys, serve } from "../../features/visibility/engines.ts"
import { keyOf } from "../attackers.ts"
import type { Law } from "../fairness/figures.ts"
import { installation } from "../fairness/installation.ts"
import { type Answer, type Node, node, until } from "../node.ts"
import type { SafetyCase } from "../safety.ts"

type Engine = (typeof engines)[number]

/** The upper price of a call, the price of an honest answer, and the budget of the day, in US dollars. */
const call = 1
const honest = 0.1
const daily = 150

const counts = (figure: string) => [
  `{"input_tokens":${figure},"output_tokens":10}`,
  `{"input_tokens":10,"output_tokens":${figure}}`
]

/** Usage figures that are invalid, or above the maximum of a call, as an engine writes them. */
const figures: ReadonlyArray<string> = [
  ...["1e308", "1e999", "1e400", "-1e400", "-1000000", "1e12", "0.5", '"100"', "true", "[1]", "{}"].flatMap(counts),
  '{"input_tokens":10}',
  '{"output_tokens":10}',
  "{}",
  "[]",
  "7",
  '"none"',
  "null"
]

/** Costs that an engine states itself, as it writes them. */
const costs = ["1e308", "1e999", "-5", "-1e999", "1.01", '"0.01"', "[0]"] as const

const costly: Readonly<Partial<Record<Engine, (figure: string) => string>>> = {
  perplexity: (figure) => `{"cost":{"total_cost":${figure}},"input_tokens":1,"output_tokens":1}`,
  xai: (figure) =>
    `{"cost_in_usd_ticks":${figure === "1.01" ? "10100000000" : figure},"input_tokens":1,"output_tokens":1}`
}

/** Invalid responses with status 200. */
const broken = [
  "",
  "{",
  "null",
  "[]",
  "7",
  '"text"',
  '{"error":{"code":"server_error","message":"overloaded"}}',
  '{"output":[],"content":[],"status":"failed"}',
  `{"output":${"[".repeat(400_000)}`,
  `{"output":[${"{},".repeat(340_000)}{}],"content":[${"{},".repeat(300)}{}]}`,
  `{"content":[{"content":${"[".repeat(3000)}${"]".repeat(3000)}}],"stop_reason":"pause_turn"}`,
  '{"model":{"name":"x"},"content":[{"type":"text","text":"x"}],"output":[{"type":"message","content":[{"text":"x"}]}]}'
] as const

const links = [
  "javascript:alert(1)",
  "data:text/html,<script>alert(1)</script>",
  "ftp://files.example/a",
  "https://bank.example@evil.example/",
  "https://evil.example:pass@bank.example/",
  "https:",
  "https://",
  "//evil.example/",
  "not a page",
  `https://long.example/${"x".repeat(3000)}`,
  "https://line.example/\na",
  "https:\\\\slashes.example\\a"
]
const page = "https://guide.example/shoes"

const price = { call, input: 2, output: 2, search: honest }
const models = ["gpt-5-mini", "claude-sonnet-4-5", "perplexity/sonar", "grok-4-fast-reasoning"]

const settings = (url: string) => ({
  FINDABLE_GEO_DAILY_USD: String(daily),
  FINDABLE_GEO_PRICES: JSON.stringify(Object.fromEntries(models.map((model) => [model, price]))),
  ...Object.fromEntries(
    engines.flatMap((engine) => [
      [`FINDABLE_${engine.toUpperCase()}_KEY`, keys[engine]],
      [`FINDABLE_${engine.toUpperCase()}_URL`, url]
    ])
  )
})

/** An answer with exactly this text as its usage. */
const telling = (engine: Engine, usage: string, urls: ReadonlyArray<string> = [page]) => {
  const body = JSON.stringify({ ...answer(engine, { text: "Some page.", urls }), usage: "USAGE" })
  return new Response(body.replace('"USAGE"', usage), { headers: { "content-type": "application/json" } })
}

const usual = (engine: Engine) =>
  engine === "anthropic"
    ? '{"input_tokens":0,"output_tokens":1,"server_tool_use":{"web_search_requests":1}}'
    : '{"input_tokens":0,"output_tokens":1}'

/** A request that waits for its turn when the account used its share. */
const posted = async (serving: Node, key: string, path: string, body: unknown): Promise<Answer> => {
  const answer = await serving.ask("POST", path, { body, key })
  if (answer.status !== 429) return answer
  await Bun.sleep(1000)
  return posted(serving, key, path, body)
}

/** A site with these prompts, sent to all engines once. */
const asked = async (serving: Node, key: string, host: string, prompts: ReadonlyArray<string>) => {
  const made = await posted(serving, key, "/api/v1/projects", { url: `https://${host}` })
  const path = `/api/v1/projects/${made.body.data.id}/geo`
  for (const text of prompts) await posted(serving, key, `${path}/prompts`, { text })
  const started = await posted(serving, key, `${path}/runs`, { engines, repeats: 1 })
  const read = async () => (await serving.ask("GET", `${path}/runs/${started.body.data.id}`, { key })).body.data
  await until(async () => (await read())?.finished_at !== null, 120, 500)
  return { path, run: await read() }
}

/** Answers of all engines to the attacker's prompts: each wrong answer comes from one engine, while the others answer well. */
const arm = ({ replies }: FakeEngines) => {
  const wrong = new Map<string, (engine: Engine) => Response>()
  const plan = (by: Engine, kind: string, reply: () => Response) =>
    wrong.set(`${kind} ${wrong.size} of ${by}?`, (engine) => (engine === by ? reply() : telling(engine, usual(engine))))
  for (const [at, usage] of figures.entries()) {
    const by = engines[at % engines.length] ?? "openai"
    plan(by, "figure", () => telling(by, usage))
  }
  for (const [by, usage] of Object.entries(costly)) {
    const engine = by === "xai" ? "xai" : "perplexity"
    for (const figure of costs) plan(engine, "cost", () => telling(engine, usage(figure)))
  }
  for (const [at, body] of broken.entries())
    plan(engines[at % engines.length] ?? "openai", "broken", () => new Response(body))
  for (const engine of engines) plan(engine, "links", () => telling(engine, usual(engine), [...links, page]))
  for (const [prompt, reply] of wrong) replies.set(prompt, ({ engine }) => reply(engine))
  return [...wrong.keys()]
}

const attack = async (fake: FakeEngines): Promise<ReadonlyArray<Law>> => {
  const place = await installation({ scale: 1, seconds: 0 })
  try {
    const serving = await node({ DATABASE_URL: place.database.url(), ...settings(fake.url) })
    place.onClose(() => serving.end("SIGKILL"))
    const scopes = ["*", "geo:write"]
    const [key, other] = [
      await keyOf(place.database, place.attacker.account, scopes),
      await keyOf(place.database, place.ordinary.account, scopes)
    ]
    const prompts = arm(fake)
    for (const engine of engines)
      fake.replies.set(`everyday of ${engine}`, (asked) => telling(asked.engine, usual(asked.engine)))
    const doubted = prompts.filter((prompt) => !prompt.startsWith("links")).length
    const { path, run } = await asked(serving, key, "attacker.example", prompts)
    const rows: Array<{ cost: number; outcome: string }> = await place.database.query(
      "SELECT cost_usd::float8 AS cost, coalesce(outcome, status) AS outcome FROM visibility_calls"
    )
    const reserved = rows.filter(({ cost }) => cost === call).length
    const usually = rows.filter(({ cost }) => Math.abs(cost - honest) < 0.001).length
    const domains = await serving.ask("GET", `${path}/domains?limit=100`, { key })
    const cited: Array<{ url: string }> = await place.database.query(
      "SELECT DISTINCT c ->> 'url' AS url FROM visibility_calls, json_array_elements(citations) AS c"
    )
    const seen = domains.body.data.map(({ domain }: { domain: string }) => domain)
    const everyday = await asked(serving, other, "everyday.example", [`everyday of openai?`])
    const estimate = await posted(serving, other, `${everyday.path}/runs`, { dry_run: true, engines })
    const [{ budget, spent }] = await place.database.query(
      `SELECT (SELECT sum(charged_usd)::text FROM visibility_budgets) AS budget, (SELECT sum(cost_usd)::text FROM visibility_calls) AS spent`
    )
    const warned = serving.output().match(/upper price/g)?.length ?? 0
    return [
      {
        found: `${run.status}, ${run.reason}: ${run.answered} answers and ${run.errors} errors of ${run.planned}`,
        holds: run.status === "completed" && run.answered === run.planned - broken.length,
        law: "a bad answer of one engine costs no answer of another"
      },
      {
        found: `${reserved} of ${doubted} at ${call} US dollars, ${usually} of ${run.planned - doubted} at ${honest}`,
        holds: reserved === doubted && usually === run.planned - doubted,
        law: "each figure in doubt, and no other, is charged at the reserved price"
      },
      {
        found: `${warned} of ${doubted - broken.length} lines`,
        holds: warned >= doubted - broken.length,
        law: "the log names each figure in doubt"
      },
      {
        found: `charged ${budget}, calls ${spent}`,
        holds: Math.abs(Number(budget) - Number(spent)) < 1e-6,
        law: "the budget of the day is the sum of what its calls cost"
      },
      {
        found: `${everyday.run.status}, ${everyday.run.answered} of ${everyday.run.planned} answered, ${estimate.body.data?.budget_left_usd} US dollars left`,
        holds: everyday.run.status === "completed" && estimate.body.data?.budget_left_usd > 0,
        law: "another account asks afterwards"
      },
      {
        found: JSON.stringify([cited.map(({ url }) => url.slice(0, 60)), seen]),
        holds: cited.length === 1 && seen.length === 1,
        law: "no citation but pages on the web is kept or counted"
      }
    ]
  } finally {
    await place.close()
  }
}

/** Engines that lie about costs, send nonsense and cite invalid URLs: each account pays for itself only. */
export const money: SafetyCase = () =>
  Effect.runPromise(Effect.scoped(Effect.flatMap(serve, (fake) => Effect.promise(() => attack(fake)))))
