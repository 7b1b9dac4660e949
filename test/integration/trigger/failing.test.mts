import { beforeEach, describe, expect, it } from 'vitest';
import { time } from '../harness.mts';
import { running } from '../world.mts';
import { DAY_MS, MINUTE_MS, namesIn, newForm, tick, watch } from './watching.mts';

const { service, n8n } = await running();

let form: string;
let trigger: ReturnType<typeof watch>;
const submit = (name: string) => service.store.addResponse(form, { answers: { Name: name } });

beforeEach(async () => {
	// what other tests have sent does not count any more
	await time.sleep(DAY_MS);
	form = newForm(service);
	trigger = watch(n8n, form, { options: { requestsPerDay: 720 } });
	await trigger.poll();
});

/** A poll each minute for so long: the names that it delivers, and the errors that people see. */
async function pollFor(minutes: number) {
	const names: unknown[] = [];
	const errors: Array<Error & { description?: string }> = [];
	for (let minute = 0; minute < minutes; minute++) {
		await time.sleep(MINUTE_MS);
		const items = await trigger.poll(tick).catch((error: Error) => {
			errors.push(error);
			return [];
		});
		names.push(...namesIn(items));
	}
	return { names, errors };
}

describe('While polls fail', () => {
	it('the error says that the trigger keeps trying and that no response is lost', async () => {
		service.faults.set({ fault: 'forbidden' });
		const [{ description }] = (await pollFor(20)).errors;
		expect(description).toMatch(/The trigger keeps trying, and no response is lost\.$/);
	});
});

describe('After the failure', () => {
	it('the back-off ends: the next poll is due as soon as after any good one', async () => {
		const end = service.faults.set({ fault: 'forbidden' });
		await pollFor(62);
		end();
		// a person publishes the workflow again
		expect(await trigger.poll()).toEqual([]);
		submit('Ada');
		expect((await pollFor(4)).names).toEqual(['Ada']);
	});
});
