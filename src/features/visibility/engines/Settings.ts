import * as Config from "effect/Config"
import type * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import { between, web } from "../../../foundation/schema/Setting.ts"
import type { Engine } from "../Domain.ts"

/** URL, key and model of an engine. */
export interface EngineSettings {
  readonly url: URL
  readonly key: Option.Option<Redacted.Redacted>
  readonly model: string
}

/** The engine's part of a setting's name. */
export const variableOf: Readonly<Record<Engine, string>> = {
  openai: "OPENAI",
  anthropic: "ANTHROPIC",
  perplexity: "PERPLEXITY",
  xai: "XAI"
}

const openai = Config.all({
  url: Config.url("FINDABLE_OPENAI_URL").pipe(
    web,
    Config.withDefault(new URL("https://api.openai.com")),
    Config.withDescription("Base URL of OpenAI's API, without `/v1`")
  ),
  key: Config.option(Config.redacted(Config.nonEmptyString("FINDABLE_OPENAI_KEY"))).pipe(
    Config.withDescription("API key of OpenAI, for AI visibility. Without one, Findable does not ask OpenAI")
  ),
  model: Config.nonEmptyString("FINDABLE_OPENAI_MODEL").pipe(
    Config.withDefault("gpt-5-mini"),
    Config.withDescription("OpenAI model that answers the prompts of AI visibility")
  )
})

const anthropic = Config.all({
  url: Config.url("FINDABLE_ANTHROPIC_URL").pipe(
    web,
    Config.withDefault(new URL("https://api.anthropic.com")),
    Config.withDescription("Base URL of Anthropic's API, without `/v1`")
  ),
  key: Config.option(Config.redacted(Config.nonEmptyString("FINDABLE_ANTHROPIC_KEY"))).pipe(
    Config.withDescription("API key of Anthropic, for AI visibility. Without one, Findable does not ask Anthropic")
  ),
  model: Config.nonEmptyString("FINDABLE_ANTHROPIC_MODEL").pipe(
    Config.withDefault("claude-sonnet-4-5"),
    Config.withDescription("Anthropic model that answers the prompts of AI visibility")
  )
})

const perplexity = Config.all({
  url: Config.url("FINDABLE_PERPLEXITY_URL").pipe(
    web,
    Config.withDefault(new URL("https://api.perplexity.ai")),
    Config.withDescription("Base URL of Perplexity's API, without `/v1`")
  ),
  key: Config.option(Config.redacted(Config.nonEmptyString("FINDABLE_PERPLEXITY_KEY"))).pipe(
    Config.withDescription("API key of Perplexity, for AI visibility. Without one, Findable does not ask Perplexity")
  ),
  model: Config.nonEmptyString("FINDABLE_PERPLEXITY_MODEL").pipe(
    Config.withDefault("perplexity/sonar"),
    Config.withDescription("Perplexity model that answers the prompts of AI visibility")
  )
})

const xai = Config.all({
  url: Config.url("FINDABLE_XAI_URL").pipe(
    web,
    Config.withDefault(new URL("https://api.x.ai")),
    Config.withDescription("Base URL of xAI's API, without `/v1`")
  ),
  key: Config.option(Config.redacted(Config.nonEmptyString("FINDABLE_XAI_KEY"))).pipe(
    Config.withDescription("API key of xAI, for AI visibility. Without one, Findable does not ask xAI")
  ),
  model: Config.nonEmptyString("FINDABLE_XAI_MODEL").pipe(
    Config.withDefault("grok-4-fast-reasoning"),
    Config.withDescription("xAI model that answers the prompts of AI visibility")
  )
})

/** The engines by the administrator's settings. */
export const Engines: Config.Config<Readonly<Record<Engine, EngineSettings>>> = Config.all({
  openai,
  anthropic,
  perplexity,
  xai
})

/** Daily budget of all engines together, by UTC day; without one nothing is asked. */
export const DailyUsd = Config.option(
  Config.number("FINDABLE_GEO_DAILY_USD").pipe(
    Config.validate({
      message: "must be a number of US dollars above 0",
      validation: (usd) => usd > 0 && Number.isFinite(usd)
    })
  )
).pipe(
  Config.withDescription(
    "Daily budget of AI visibility in US dollars (UTC day), over all accounts and servers. Without it, Findable asks no AI assistant"
  )
)

/** Days to keep runs and their answers; default is forever. */
export const GeoRetentionDays = Config.option(
  Config.integer("FINDABLE_GEO_RETENTION_DAYS").pipe(between(1, 36_500))
).pipe(
  Config.withDescription(
    "Days to keep AI visibility runs and their answers, at least 1. Baselines and the latest run of each AI assistant stay. Empty: no limit"
  )
)
