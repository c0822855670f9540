import * as Config from "effect/Config"
import { web } from "../../../foundation/schema/Setting.ts"

/** Endpoint of PageSpeed Insights. */
export const PsiUrl = Config.url("FINDABLE_PSI_URL").pipe(
  web,
  Config.withDefault(new URL("https://www.googleapis.com/pagespeedonline/v5/runPagespeed")),
  Config.withDescription("address of the PageSpeed Insights API; Google's by default")
)

/** Key of the Google project that pays for the requests; without it Google allows only a few. */
export const PsiKey = Config.option(Config.redacted("FINDABLE_PSI_KEY")).pipe(
  Config.withDescription("API key for PageSpeed Insights; without one Google allows only a few requests")
)
