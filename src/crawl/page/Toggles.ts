import { roleOf } from "./AccessibleName.ts"
import type { DomElement } from "./Dom.ts"

/** Roles of things that are operated where they stand. */
const operated = new Set(
  "button checkbox combobox menuitem menuitemcheckbox menuitemradio option radio switch tab".split(" ")
)
const states = [
  "aria-expanded",
  "aria-controls",
  "aria-haspopup",
  "aria-pressed",
  "data-toggle",
  "data-bs-toggle",
  "data-dismiss",
  "data-bs-dismiss"
]

/** A script address that does nothing, and one that only moves about the page or the history. */
const idle = /^\s*javascript:\s*(?:void\s*(?:\(.*\)|0)|undefined|null|false|return false|\/\/.*|#)?\s*;*\s*$/i
const local = /^\s*javascript:\s*(?:window\.|self\.)?(?:history\.\w+|print|close|scroll\w*|focus)\b/i
const leads = /location|window\.open|\.href|navigate|submit\(/i

/** What things that open, close or switch are called, as far as they say so by a word. */
const called =
  /toggl|menu|nav|burger|collaps|expand|drop-?down|accordion|\btabs?\b|modal|dialog|popup|clos|open|show|hide|\bmore\b|\bless\b|print|\btop\b|copy|share|search|theme|\bdark\b|\blight\b|switch|sidebar|[×✕☰]/i

/**
 * Whether a link with a script in place of an address opens or closes something on its page and leads nowhere: it has the role
 * or a state of a control, its script only moves about, or it does nothing and is called like a control.
 */
export const isToggle = (element: DomElement, reference: string, name: string): boolean => {
  if (operated.has(roleOf(element)) || states.some((state) => element.hasAttribute(state)) || local.test(reference))
    return true
  if (!idle.test(reference) || leads.test(element.getAttribute("onclick") ?? "")) return false
  return [name, element.getAttribute("id") ?? "", element.getAttribute("title") ?? ""].some((text) => called.test(text))
}
