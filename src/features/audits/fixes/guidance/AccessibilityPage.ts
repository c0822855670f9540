import { findElements as find, lostStructure as lost, structure } from "./Axe.ts"
import type { GuidanceTable } from "./Guidance.ts"

/** Language, contrast, landmarks, keyboard and zoom. */
export const accessibilityPage: GuidanceTable = {
  "color-contrast": structure(
    "color-contrast",
    "Text has too little contrast",
    "People with poor sight, or in sunlight, cannot read it.",
    "Give the listed texts a contrast of at least 4.5:1 (3:1 from 24 px, or 18.66 px bold)",
    "Find the colours of the listed elements: design tokens or variables first, single rules last.",
    "Darken or lighten the text or its background just far enough; check hover, focus and dark mode as well.",
    "Change the token where several findings share it, and check its other uses."
  ),
  "html-has-lang": structure(
    "html-has-lang",
    "The page does not declare its language",
    "Screen readers read it with the wrong pronunciation, and browsers cannot offer a translation reliably.",
    "Declare the language of the page",
    "Find the base template that writes the html element.",
    "Set its lang attribute to the BCP 47 code of the content, from the active locale where the site has several."
  ),
  "html-lang-valid": structure(
    "html-lang-valid",
    "The declared language is not valid",
    "Screen readers fall back to a wrong pronunciation.",
    "Declare a valid language",
    "Find what writes the lang attribute of the html element.",
    "Write a BCP 47 code such as en or de-CH: hyphen, no underscore, no encoding suffix."
  ),
  "html-xml-lang-mismatch": structure(
    "html-xml-lang-mismatch",
    "The attributes lang and xml:lang differ",
    lost,
    "Let lang and xml:lang agree",
    "Find the html element in the base template.",
    "Remove xml:lang, or give both the same value."
  ),
  "valid-lang": structure(
    "valid-lang",
    "Parts of the page declare invalid languages",
    "Screen readers pronounce these parts wrongly.",
    "Declare valid languages on the listed elements",
    find,
    "Write a BCP 47 code such as en or de-CH."
  ),
  "landmark-one-main": structure(
    "landmark-one-main",
    "The page has no main landmark",
    "People who use a screen reader cannot jump to the content.",
    "Mark the main content with exactly one main element",
    "Find the layout that surrounds the content of every page.",
    "Turn the element around the content into main; leave header, navigation and footer outside.",
    "Make sure that nested layouts do not add a second one."
  ),
  bypass: structure(
    "bypass",
    "The page offers no way to skip the navigation",
    "Keyboard users have to step through every link on each page.",
    "Let people jump to the content",
    "Add a link to the main content as the first element of the layout, visible on focus.",
    "Mark the content with a main element and sections with headings."
  ),
  "skip-link": structure(
    "skip-link",
    "The skip link leads nowhere",
    "Keyboard users cannot jump to the content.",
    "Let the skip link reach the content",
    "Find the skip link in the layout.",
    "Point it to an existing id and give the target tabindex=-1."
  ),
  tabindex: structure(
    "tabindex",
    "The tab order is set by hand",
    "The focus jumps around in an unexpected order.",
    "Let the tab order follow the document",
    find,
    "Replace positive tabindex values with 0 or remove them, and order the document as it should be read."
  ),
  "target-size": structure(
    "target-size",
    "Touch targets are too small or too close",
    "People hit the wrong control, above all with impaired motor control.",
    "Make the listed targets at least 24 by 24 CSS pixels, or space them accordingly",
    "Find the styles of the listed controls.",
    "Enlarge the active area with padding or min-width and min-height, or add space between neighbours."
  ),
  "meta-viewport": structure(
    "meta-viewport",
    "The page forbids zooming",
    "People with poor sight cannot enlarge the text.",
    "Allow zooming",
    "Find the viewport meta element of the base template.",
    "Remove user-scalable=no and any maximum-scale below 5."
  ),
  "meta-refresh": structure(
    "meta-refresh",
    "The page reloads or redirects by itself",
    "People who read slowly are interrupted.",
    "Remove the timed refresh",
    "Find the meta refresh element.",
    "Redirect on the server with 301 or 302; update live content by script on request."
  ),
  accesskeys: structure(
    "accesskeys",
    "Access keys are used twice",
    "One of the two controls cannot be reached by its key.",
    "Make the listed access keys unique",
    find,
    "Change or remove the repeated accesskey values."
  ),
  "autocomplete-valid": structure(
    "autocomplete-valid",
    "Fields have autocomplete values that are not valid",
    "Browsers cannot fill in the field for people who need that.",
    "Use valid autocomplete values on the listed fields",
    find,
    "Use the tokens of the HTML standard, such as name, email or postal-code."
  ),
  "identical-links-same-purpose": structure(
    "identical-links-same-purpose",
    "Links with the same name lead to different places",
    "People who only hear the name cannot distinguish them.",
    "Let the listed names differ, or the targets agree",
    find,
    "Name the target in the link text, or correct the address."
  )
}
