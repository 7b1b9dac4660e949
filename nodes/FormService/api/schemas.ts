import { z } from 'zod';

/** What the specification fixes of a reply; further attributes pass through untouched. */

/** Section 2.1. */
export const workspaceSchema = z.object({ name: z.string() }).passthrough();

/** Section 4, rule 6. */
export const settingsUpdatedSchema = z
	.object({ id: z.string(), name: z.string(), updated_at: z.string() })
	.passthrough();
