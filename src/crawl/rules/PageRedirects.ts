import { linkFault } from "./Elements.ts"
import { sawEverything } from "./Preconditions.ts"
import { google, isRedirect } from "./Redirects.ts"
import { perPage, type Rule } from "./Rule.ts"
import { linksTo } from "./Targets.ts"

/** Pages that lead into redirects, or redirect by themselves. */
export const pageRedirects: ReadonlyArray<Rule> = [
  perPage(
    {
      id: "link_to_redirect",
      name: "Link to a redirect",
      category: "redirects",
      severity: "info",
      means: "Links lead to addresses that redirect; visitors and crawlers take a detour.",
      fix: "Link to the final address.",
      source: google,
      needsRendering: true,
      guidance: {
        why: "Visitors and crawlers take a detour with every click.",
        goal: "Make the links of the listed pages name the addresses where they end",
        find: "Search templates, navigation, footers and content for the addresses in the evidence.",
        steps: [
          "Follow each address in the evidence to its end.",
          "Write that address into the link; a link in shared navigation once, where it is generated.",
          "Where links are made by a helper, let it add or leave the slash, host and scheme as the server wants them."
        ],
        never: "remove the redirect: others link to the old address"
      }
    },
    (page, site) => {
      const found = linksTo(page, site, isRedirect).map(({ link }) => link)
      return linkFault(found, ({ raw, target }) => (target.followable ? target.url : raw))
    },
    { precondition: sawEverything }
  ),
  perPage(
    {
      id: "meta_refresh",
      name: "Meta refresh",
      category: "redirects",
      severity: "warning",
      means:
        "The page sends visitors elsewhere by a delayed refresh, which they cannot stop and crawlers read as a redirect.",
      fix: "Redirect on the server instead.",
      source: "HTML standard, http-equiv refresh; WCAG 2.2 success criterion 2.2.1",
      restsOn: "own",
      guidance: {
        why: "Visitors cannot stop a delayed refresh, and crawlers have to guess what it means.",
        goal: "Replace the refresh of the listed pages by a redirect of the server, or by a link",
        find: "Find the template that writes meta http-equiv=refresh, or the Refresh header.",
        steps: [
          "Decide whether the page moved, or is a notice that people should read.",
          "Moved: answer 301 or 308 with the target. Static hosting has redirect files or rules for that.",
          "A notice: remove the refresh and put a link on the page."
        ],
        never: "move the refresh into a script"
      }
    },
    ({ url, visit }) => {
      const refresh = visit.headerFacts?.refresh ?? visit.facts.refresh
      return refresh === null || refresh.url === null || refresh.url === url
        ? null
        : { detail: `to ${refresh.url}`, value: refresh.raw, ...(visit.headerFacts?.refresh ? {} : { place: "head" }) }
    }
  )
]
