-- Tables of a store that mlflow 3.17.2 made, with all their rows.
CREATE TABLE "runs" (
	run_uuid VARCHAR(32) NOT NULL, 
	name VARCHAR(250), 
	source_type VARCHAR(20), 
	source_name VARCHAR(500), 
	entry_point_name VARCHAR(50), 
	user_id VARCHAR(256), 
	status VARCHAR(9), 
	start_time BIGINT, 
	end_time BIGINT, 
	source_version VARCHAR(50), 
	lifecycle_stage VARCHAR(20), 
	artifact_uri VARCHAR(200), 
	experiment_id INTEGER, deleted_time BIGINT, 
	CONSTRAINT run_pk PRIMARY KEY (run_uuid), 
	CONSTRAINT source_type CHECK (source_type IN ('NOTEBOOK', 'JOB', 'LOCAL', 'UNKNOWN', 'PROJECT')), 
	CONSTRAINT runs_lifecycle_stage CHECK (lifecycle_stage IN ('active', 'deleted')), 
	FOREIGN KEY(experiment_id) REFERENCES experiments (experiment_id), 
	CHECK (status IN ('SCHEDULED', 'FAILED', 'FINISHED', 'RUNNING', 'KILLED'))
);
CREATE TABLE "metrics" (
	"key" VARCHAR(250) NOT NULL, 
	value FLOAT NOT NULL, 
	timestamp BIGINT NOT NULL, 
	run_uuid VARCHAR(32) NOT NULL, 
	step BIGINT DEFAULT '0' NOT NULL, 
	is_nan BOOLEAN DEFAULT '0' NOT NULL, 
	CONSTRAINT metric_pk PRIMARY KEY ("key", timestamp, step, run_uuid, value, is_nan), 
	FOREIGN KEY(run_uuid) REFERENCES runs (run_uuid), 
	CHECK (is_nan IN (0, 1))
);
CREATE TABLE "params" (
	"key" VARCHAR(250) NOT NULL, 
	value VARCHAR(8000) NOT NULL, 
	run_uuid VARCHAR(32) NOT NULL, 
	CONSTRAINT param_pk PRIMARY KEY ("key", run_uuid), 
	FOREIGN KEY(run_uuid) REFERENCES runs (run_uuid)
);
CREATE TABLE "latest_metrics" (
	"key" VARCHAR(250) NOT NULL, 
	value FLOAT NOT NULL, 
	timestamp BIGINT, 
	step BIGINT NOT NULL, 
	is_nan BOOLEAN NOT NULL, 
	run_uuid VARCHAR(32) NOT NULL, 
	CONSTRAINT latest_metric_pk PRIMARY KEY ("key", run_uuid), 
	FOREIGN KEY(run_uuid) REFERENCES runs (run_uuid), 
	CHECK (is_nan IN (0, 1))
);
INSERT INTO runs VALUES ('747552c8054f40168f906340c4ad27a2', 'seed-1', 'UNKNOWN', '', '', 'unknown', 'FINISHED', 1700001000000, 1700001300000, '', 'active', '/nowhere/747552c8054f40168f906340c4ad27a2/artifacts', 1, NULL);
INSERT INTO runs VALUES ('e1fd8199c3f047278748e0092e0191a2', 'seed-2', 'UNKNOWN', '', '', 'unknown', 'FINISHED', 1700002000000, 1700002300000, '', 'active', '/nowhere/e1fd8199c3f047278748e0092e0191a2/artifacts', 1, NULL);
INSERT INTO metrics VALUES ('train_loss', 2.0, 1700001060000, '747552c8054f40168f906340c4ad27a2', 1, 0);
INSERT INTO metrics VALUES ('val_acc', 0.21000000000000002, 1700001060005, '747552c8054f40168f906340c4ad27a2', 1, 0);
INSERT INTO metrics VALUES ('train_loss', 1.0, 1700001120000, '747552c8054f40168f906340c4ad27a2', 2, 0);
INSERT INTO metrics VALUES ('val_acc', 0.41000000000000003, 1700001120005, '747552c8054f40168f906340c4ad27a2', 2, 0);
INSERT INTO metrics VALUES ('train_loss', 0.6666666666666666, 1700001180000, '747552c8054f40168f906340c4ad27a2', 3, 0);
INSERT INTO metrics VALUES ('val_acc', 0.6100000000000001, 1700001180005, '747552c8054f40168f906340c4ad27a2', 3, 0);
INSERT INTO metrics VALUES ('train_loss', 0.5, 1700001240000, '747552c8054f40168f906340c4ad27a2', 4, 0);
INSERT INTO metrics VALUES ('val_acc', 0.81, 1700001240005, '747552c8054f40168f906340c4ad27a2', 4, 0);
INSERT INTO metrics VALUES ('train_loss', 2.0, 1700002060000, 'e1fd8199c3f047278748e0092e0191a2', 1, 0);
INSERT INTO metrics VALUES ('val_acc', 0.22, 1700002060005, 'e1fd8199c3f047278748e0092e0191a2', 1, 0);
INSERT INTO metrics VALUES ('train_loss', 1.0, 1700002120000, 'e1fd8199c3f047278748e0092e0191a2', 2, 0);
INSERT INTO metrics VALUES ('val_acc', 0.42000000000000004, 1700002120005, 'e1fd8199c3f047278748e0092e0191a2', 2, 0);
INSERT INTO metrics VALUES ('train_loss', 0.6666666666666666, 1700002180000, 'e1fd8199c3f047278748e0092e0191a2', 3, 0);
INSERT INTO metrics VALUES ('val_acc', 0.6200000000000001, 1700002180005, 'e1fd8199c3f047278748e0092e0191a2', 3, 0);
INSERT INTO metrics VALUES ('train_loss', 0.5, 1700002240000, 'e1fd8199c3f047278748e0092e0191a2', 4, 0);
INSERT INTO metrics VALUES ('val_acc', 0.8200000000000001, 1700002240005, 'e1fd8199c3f047278748e0092e0191a2', 4, 0);
INSERT INTO params VALUES ('batch_size', '256', '747552c8054f40168f906340c4ad27a2');
INSERT INTO params VALUES ('batch_size', '256', 'e1fd8199c3f047278748e0092e0191a2');
