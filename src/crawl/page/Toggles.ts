import { roleOf } from "./AccessibleName.ts"
import { type DomElement, isElement } from "./Dom.ts"

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

/** A script address that does nothing, and one that only moves about the page or the history, or shows and hides its parts. */
const idle = /^\s*javascript:\s*(?:void\s*(?:\(.*\)|0)|undefined|null|false|return false|\/\/.*|#)?\s*;*\s*$/i
const local =
  /^\s*javascript:\s*(?:window\.|self\.)?(?:history\.\w+|print|close|scroll\w*|focus|(?:\w+\.)*(?:toggle|hide|expand|collapse|copy|show(?=tab|menu|modal|popup|dialog|hide|less|all))\w*|document\.forms\b.*submit)\b/i
const leads = /\blocation(?:\.href)?\s*=(?!=)|\blocation\.(?:assign|replace)\b|window\.open|navigate/i

/** What things that open, close or switch are called, as far as they say so by a word. */
const called =
  /toggl|menu|nav|burger|collaps|expand|drop-?down|accordion|\btabs?\b|modal|dialog|popup|clos|open|show|hide|\bmore\b|\bless\b|print|\btop\b|copy|share|search|theme|\bdark\b|\blight\b|switch|sidebar|cookie|consent|settings|preferences|[×✕☰]/i
/** The words before a list of links that opens at them: nothing would be behind an address of their own. */
const headsList = (element: DomElement): boolean => {
  for (let next = element.nextSibling; next !== null; next = next.nextSibling) {
    if (isElement(next)) return next.localName === "ul" || next.localName === "ol"
  }
  return false
}

/**
 * Whether a link with a script in place of an address opens or closes something on its page and leads nowhere: it has the role
 * or a state of a control, its script only moves about, or it does nothing and has no name, is called like a control or heads a list.
 */
export const isToggle = (element: DomElement, written: string, name: string): boolean => {
  // The patterns look for blanks of any number in several places: a script of blanks alone would be tried in all ways to share them out.
  const reference = written.replace(/\s+/g, " ")
  if (leads.test(reference)) return false
  if (operated.has(roleOf(element)) || states.some((state) => element.hasAttribute(state)) || local.test(reference))
    return true
  const onClick = element.getAttribute("onclick") ?? ""
  if (!idle.test(reference) || leads.test(onClick) || /submit\(/i.test(onClick)) return false
  // Nothing says that a link without a name leads anywhere.
  if (name === "") return true
  const words = [name, element.getAttribute("id") ?? "", element.getAttribute("title") ?? ""]
  return words.some((text) => called.test(text)) || headsList(element)
}
