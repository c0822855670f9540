import type { GeoAnswer, GeoEstimate, GeoRun, Visible } from "../api/Contract.ts"
import { plural, share } from "../parts/Formats.ts"

type Engine = Visible["engine"]

/** The names of the engines. */
export const engines: Readonly<Record<Engine, string>> = {
  anthropic: "Anthropic",
  openai: "OpenAI",
  perplexity: "Perplexity",
  xai: "xAI"
}

/** All engines, in the order of the API. */
export const everyEngine = ["openai", "anthropic", "perplexity", "xai"] as const

const tenths = new Intl.NumberFormat(undefined, {
  maximumFractionDigits: 1,
  minimumFractionDigits: 1,
  signDisplay: "exceptZero"
})

const money = new Intl.NumberFormat(undefined, { currency: "USD", maximumFractionDigits: 4, style: "currency" })

/** An amount of US dollars; a cent and less has four digits. */
export const usd = (value: number): string => money.format(value >= 0.01 ? Math.round(value * 100) / 100 : value)

/** A change of a rate, in percentage points with its sign. */
export const pointsOf = (delta: number): string => `${tenths.format(delta * 100)} points`

const precise = new Intl.NumberFormat(undefined, { maximumFractionDigits: 3, minimumFractionDigits: 3 })

/** A rate with its interval: `33.3% (12% – 61%)`. */
export const rateOf = (rate: Visible["cited"]): string =>
  rate === null ? "–" : `${share(rate.rate)} (${share(rate.interval[0])} – ${share(rate.interval[1])})`

const incomparable: Readonly<Record<NonNullable<Visible["comparison"]>["reasons"][number], string>> = {
  other_engine: "the other run did not use this engine",
  other_model: "another model answered",
  other_prompts: "the prompts changed",
  other_tool: "the search tool changed",
  too_few_answers: "less than 90% of the prompts were answered",
  too_few_prompts: "fewer than 20 prompts in common"
}

/** The change against another run, or why there is none. */
export const comparedOf = ({ delta, interval, p_value, reasons }: NonNullable<Visible["comparison"]>): string => {
  const limits = reasons.length === 0 ? "" : `Not comparable: ${reasons.map((one) => incomparable[one]).join(", ")}.`
  if (delta === null || interval === null) return limits
  const change = `${pointsOf(delta)} (${pointsOf(interval[0])} to ${pointsOf(interval[1])}${p_value === null ? "" : `, p = ${precise.format(p_value)}`})`
  return limits === "" ? change : `${change}. ${limits}`
}

/** The outcomes of answers in readers' words. */
export const outcomes: Readonly<Record<GeoAnswer["outcome"], string>> = {
  cited: "Cites your site",
  mentioned: "Names your brand",
  absent: "Neither",
  not_searched: "No web search",
  refused: "Refused",
  error: "Error"
}

/** The colour of an outcome, which its words tell too. */
export const outcomeTones = {
  absent: "quiet",
  cited: "good",
  error: "bad",
  mentioned: "good",
  not_searched: "quiet",
  refused: "warn"
} as const

const reasons: Readonly<Record<NonNullable<GeoRun["reason"]>, string>> = {
  budget: "the daily budget is used up",
  credentials: "an engine rejects its API key",
  failed: "server error",
  no_answers: "every call failed",
  not_configured: "an engine has no key or price",
  quota: "the quota at an engine is used up",
  unavailable: "an engine did not respond",
  worker_lost: "the server stopped during the run"
}

/** Why a run ended early or failed; null for others. */
export const endOf = ({ reason }: GeoRun): string | null => (reason === null ? null : reasons[reason])

/** The price of a run before it starts, and the budget that is left. */
export const priceOf = ({ budget_left_usd, calls, price: { high_usd, low_usd } }: GeoEstimate): string =>
  `${plural(calls, "call")} for ${usd(low_usd)} to ${usd(high_usd)}. ${
    budget_left_usd === 0
      ? "The server’s daily budget is used up or not set: an administrator sets FINDABLE_GEO_DAILY_USD."
      : `${usd(budget_left_usd)} of the server’s daily budget is left${budget_left_usd < high_usd ? ", so the run may end early" : ""}.`
  }`
