import * as Args from "@effect/cli/Args"
import * as Options from "@effect/cli/Options"
import { argument } from "../../../foundation/terminal/Input.ts"
import { PageAddress } from "../CreateAudit.ts"
import { Device } from "../Domain.ts"

/** `--device mobile|desktop` */
export const device = Options.choice("device", Device.literals).pipe(
  Options.withDefault("mobile" as const),
  Options.withDescription("device to audit the page as; mobile by default")
)

/** `--psi` */
export const psi = Options.boolean("psi").pipe(
  Options.withDescription("ask PageSpeed Insights instead of running Lighthouse here")
)

/** `URL` */
export const page = argument("URL", PageAddress).pipe(Args.withDescription("address of the page, http or https"))
