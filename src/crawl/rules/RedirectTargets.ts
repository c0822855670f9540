import { hopOf } from "../analysis/RedirectChain.ts"
import { find, isRedirect, nothing, shown } from "./Redirects.ts"
import { perUrl, type Rule } from "./Rule.ts"

/** What a redirect names as its target. */
export const redirectTargets: ReadonlyArray<Rule> = [
  perUrl(
    {
      id: "redirect_without_target",
      name: "Redirect without a target",
      category: "redirects",
      severity: "warning",
      means: "A redirect status comes without a usable Location, so it cannot be followed.",
      fix: "Send a Location header with a valid URL, or another status.",
      source: "RFC 9110 §10.2.2",
      restsOn: "own",
      guidance: {
        why: "Browsers and crawlers cannot follow a redirect that names no address.",
        goal: "Send a valid Location with each redirect status, or another status",
        find: `${find} Look for a target that is computed and empty or malformed.`,
        steps: [
          "Request the URL and read status and Location.",
          "Repair what computes the target; refuse to redirect when it is empty.",
          "Where nothing was to be redirected, answer 200, 404 or 410 as the case is."
        ],
        never: "send a Location that points back at the same address"
      }
    },
    isRedirect,
    (page) => (page.visit?.redirect !== null && page.visit?.redirect?.to === null ? `${page.visit.status}` : null),
    { nothing }
  ),
  perUrl(
    {
      id: "redirect_downgrade",
      name: "Redirect from HTTPS to HTTP",
      category: "redirects",
      severity: "warning",
      means: "An https address redirects to http, so the visitor's connection loses its protection.",
      fix: "Redirect to the https address.",
      source: "RFC 6797 §7.2; RFC 9110 §4.2.2",
      restsOn: "own",
      guidance: {
        why: "The visitor's connection loses its protection, and browsers warn.",
        goal: "Let no https address redirect to http",
        find: `${find} Behind a proxy that ends TLS, applications often build http addresses of their own.`,
        steps: [
          "Find where the absolute target is built.",
          "Build it with https, or from the forwarded scheme of a trusted proxy.",
          "Check that the https target answers, then consider Strict-Transport-Security."
        ],
        never: "turn https off for the target"
      }
    },
    isRedirect,
    (page) =>
      page.url.startsWith("https:") && hopOf(page.record)?.to?.startsWith("http:") === true ? shown(page) : null,
    { nothing }
  )
]
