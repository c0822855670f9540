import { axeDocs, wrongAria } from "./Axe.ts"
import type { GuidanceTable } from "./Guidance.ts"

/** Roles, states and properties of WAI-ARIA. */
export const accessibilityAria: GuidanceTable = {
  "aria-allowed-attr": wrongAria(
    "aria-allowed-attr",
    "ARIA attributes do not fit the roles of their elements",
    "Leave only attributes that the role of each listed element supports",
    "Look the role up in WAI-ARIA; remove the attribute, or correct the role if that is the mistake."
  ),
  "aria-allowed-role": wrongAria(
    "aria-allowed-role",
    "Elements have roles that their HTML does not allow",
    "Give each listed element an allowed role or none",
    "Remove the role, or use an element whose allowed roles in ARIA in HTML include it."
  ),
  "aria-conditional-attr": wrongAria(
    "aria-conditional-attr",
    "ARIA attributes are used where they have no effect",
    "Use the listed attributes as their role requires",
    "Use the native state where there is one (checked instead of aria-checked), and row attributes only in tree grids."
  ),
  "aria-deprecated-role": wrongAria(
    "aria-deprecated-role",
    "Deprecated ARIA roles are used",
    "Replace the deprecated roles of the listed elements",
    "Use the successor that WAI-ARIA names, or no role."
  ),
  "aria-prohibited-attr": wrongAria(
    "aria-prohibited-attr",
    "ARIA attributes are used where they are prohibited",
    "Remove the prohibited attributes from the listed elements",
    "aria-label does nothing on plain div and span elements: write text, or give the element a fitting role."
  ),
  "aria-required-attr": wrongAria(
    "aria-required-attr",
    "Roles lack the attributes that they require",
    "Add the required attributes to the listed elements",
    "Add the state that the role requires (for example aria-checked) and keep it up to date in the script."
  ),
  "aria-required-children": wrongAria(
    "aria-required-children",
    "Roles lack the children that they require",
    "Give the listed elements the child roles that they require",
    "Put the required roles on the children (list and listitem, tablist and tab), or drop the parent's role."
  ),
  "aria-required-parent": wrongAria(
    "aria-required-parent",
    "Roles are outside the parent that they require",
    "Put the listed elements into the parent role that they require",
    "Add the parent's role to the container, or drop the child's role."
  ),
  "aria-roles": wrongAria(
    "aria-roles",
    "Role attributes have unknown values",
    "Give the listed elements valid roles",
    "Correct the spelling, or remove the role; abstract roles must not be used."
  ),
  "aria-text": wrongAria(
    "aria-text",
    "Text roles hide elements that can be focused",
    "Remove focusable elements from the listed text roles",
    "Drop role=text, or take links and buttons out of it."
  ),
  "aria-valid-attr": wrongAria(
    "aria-valid-attr",
    "ARIA attributes are misspelt",
    "Correct the names of the listed attributes",
    "Correct the spelling, or remove attributes that WAI-ARIA does not define."
  ),
  "aria-valid-attr-value": wrongAria(
    "aria-valid-attr-value",
    "ARIA attributes have invalid values",
    "Give the listed attributes valid values",
    "Use the allowed tokens; attributes that contain ids must point to elements that exist on the page."
  ),
  "presentation-role-conflict": wrongAria(
    "presentation-role-conflict",
    "Elements are marked as decoration but can be used",
    "Resolve the contradiction on the listed elements",
    "Remove role=none or role=presentation, or the tabindex and ARIA attributes beside it."
  ),
  "duplicate-id-aria": wrongAria(
    "duplicate-id-aria",
    "Ids that ARIA refers to exist twice",
    "Make the listed ids unique",
    "Generate the id per instance in the shared component and adapt the references to it."
  ),
  "aria-hidden-body": {
    summary: "The whole page is hidden from assistive technology",
    why: "Screen readers find an empty page.",
    goal: "Remove aria-hidden from the body",
    steps: [
      "Find what sets aria-hidden=true on body, often a dialog library.",
      "Hide the content beside the dialog instead, with inert, and undo it when the dialog closes."
    ],
    docs: axeDocs("aria-hidden-body")
  },
  "aria-hidden-focus": {
    summary: "Hidden elements can be focused",
    why: "Keyboard users land on something that screen readers do not announce.",
    goal: "Keep the focus out of the listed hidden elements",
    steps: [
      "Find the aria-hidden=true containers of the listed elements.",
      "Use inert or the hidden attribute on the container, or tabindex=-1 on what is inside."
    ],
    docs: axeDocs("aria-hidden-focus")
  }
}
