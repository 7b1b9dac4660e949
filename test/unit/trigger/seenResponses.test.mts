import { expect, it } from 'vitest';
import * as seen from '../../../nodes/FormService/trigger/seenResponses.ts';

const phases = ['complete', 'incomplete', 'waiting', 'abandoned'] as const;
const responses = phases.flatMap((phase) =>
	['', 'aZ09_-zA90'].map((answers) => ({ phase, answers })),
);
const listed = new Map(
	responses.map(({ phase, answers }, n) => [
		`${n}aZ0_-zA90`,
		seen.createSeenResponse(phase, answers),
	]),
);

it('Seen responses survive as a text, also while they are unlisted', () => {
	for (const before of [listed, seen.forgetUnlisted(listed)]) {
		const after = seen.decodeSeenResponses(seen.encodeSeenResponses(before));
		expect(after).toEqual(before);
		const read = [...after.values()].map((one) => ({
			phase: seen.getPhase(one),
			answers: seen.getAnswers(one) ?? '',
		}));
		expect(read).toEqual(responses);
	}
});

it('What nobody has listed since the last look is forgotten', () => {
	const unlisted = seen.forgetUnlisted(listed);
	expect(unlisted.size).toBe(listed.size);
	const [[id, response]] = listed;
	expect([...seen.forgetUnlisted(new Map([...unlisted, [id, response]])).keys()]).toEqual([id]);
});
